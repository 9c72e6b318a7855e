#pragma once

#include "ui/bridge/picture_load.hpp"

namespace lowtide::graph {
class Catalog;
}

namespace lowtide::ui {

/// A picture and what a person knows it by.
struct NamedPicture {
    LoadedPicture picture;
    QString name;
};

/// Of two pictures that are compared.
struct CompareCaptions {
    QString left;
    QString right;

    bool operator==(const CompareCaptions&) const = default;
};

/// Their names, each with the first two values that its graph sets otherwise than the other's:
/// "cat.png · Seed 7". `catalog` names the values; nullptr: the names alone.
[[nodiscard]] CompareCaptions captionsOf(const NamedPicture& left,
                                         const NamedPicture& right,
                                         const graph::Catalog* catalog);

}  // namespace lowtide::ui
