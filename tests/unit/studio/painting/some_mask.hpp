#pragma once

#include <QtWidgets>

namespace lowtide::testing {

/// Spots of any level on nothing, the same for the same seed.
inline QImage someMask(int width, int height, quint32 seed, int spots = 12) {
    QImage mask(width, height, QImage::Format_Grayscale8);
    mask.fill(0);
    QRandomGenerator random(seed);
    for (int i = 0; i < spots; ++i) {
        const int left = random.bounded(width);
        const int top = random.bounded(height);
        const int right = std::min(width, left + 1 + random.bounded(9));
        const int bottom = std::min(height, top + 1 + random.bounded(9));
        const auto level = static_cast<uchar>(random.bounded(256));
        for (int y = top; y < bottom; ++y) {
            std::fill(mask.scanLine(y) + left, mask.scanLine(y) + right, level);
        }
    }
    return mask;
}

inline int levelAt(const QImage& mask, int x, int y) {
    return mask.constScanLine(y)[x];
}

}  // namespace lowtide::testing
