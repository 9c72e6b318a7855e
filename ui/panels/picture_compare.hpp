#pragma once

#include "ui/bridge/picture_load.hpp"

#include <QImage>
#include <QString>

namespace lowtide::graph {
class Catalog;
}  // namespace lowtide::graph

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

/// How far two pictures are apart.
struct PictureDifference {
    bool isComparable = false;  ///< they have one size
    int largest = 0;            ///< of a channel, of 255
    double share = 0;           ///< of pixels that differ
};

/// Alpha counts as a channel.
[[nodiscard]] PictureDifference differenceOf(const QImage& left, const QImage& right);
/// "Identical.", "Up to 12 of 255 apart, 3.4 % of the pixels."
[[nodiscard]] QString differenceText(const PictureDifference& difference);

}  // namespace lowtide::ui
