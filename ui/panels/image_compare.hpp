#pragma once

#include "ui/bridge/image_load.hpp"

#include <QImage>
#include <QString>

namespace lowtide::graph {
class Catalog;
}  // namespace lowtide::graph

namespace lowtide::ui {

/// An image and the name by which the user knows it.
struct NamedImage {
    LoadedImage image;
    QString name;
};

/// Of two images that are compared.
struct CompareCaptions {
    QString left;
    QString right;

    bool operator==(const CompareCaptions&) const = default;
};

/// Their names, each with the first two settings of its facts that the other has otherwise:
/// "cat.png · Seed 7". `catalog` names the settings; nullptr: sizes alone.
[[nodiscard]] CompareCaptions captionsOf(const NamedImage& left,
                                         const NamedImage& right,
                                         const graph::Catalog* catalog);

/// How far two images are apart.
struct ImageDifference {
    bool isComparable = false;  ///< they have one size
    int largest = 0;            ///< of a channel, of 255
    double fraction = 0;        ///< of pixels that differ
};

/// Alpha counts as a channel.
[[nodiscard]] ImageDifference differenceOf(const QImage& left, const QImage& right);
/// "Identical.", "Up to 12 of 255 apart, 3.4 % of the pixels."
[[nodiscard]] QString differenceText(const ImageDifference& difference);

}  // namespace lowtide::ui
