#pragma once

#include <QImage>
#include <QString>

namespace lowtide::ui {

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
