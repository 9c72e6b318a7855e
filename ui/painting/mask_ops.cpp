#include "ui/painting/mask_ops.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace lowtide::ui {

namespace {

constexpr uchar kWhole = 255;

}  // namespace

QImage filledMask(const QSize& size, uchar level) {
    QImage mask(size, QImage::Format_Grayscale8);
    LOWTIDE_ASSERT(!mask.isNull());
    std::memset(mask.bits(), level, static_cast<size_t>(mask.sizeInBytes()));
    return mask;
}

bool isBlank(const QImage& mask) {
    for (int y = 0; y < mask.height(); ++y) {
        const uchar* row = mask.constScanLine(y);
        if (std::any_of(row, row + mask.width(), [](uchar level) { return level != 0; })) {
            return false;
        }
    }
    return true;
}

QImage inverted(const QImage& mask) {
    QImage result(mask.size(), QImage::Format_Grayscale8);
    for (int y = 0; y < mask.height(); ++y) {
        const uchar* from = mask.constScanLine(y);
        uchar* to = result.scanLine(y);
        for (int x = 0; x < mask.width(); ++x) {
            to[x] = kWhole - from[x];
        }
    }
    return result;
}

QImage halved(const QImage& mask) {
    QImage half((mask.width() + 1) / 2, (mask.height() + 1) / 2, QImage::Format_Grayscale8);
    halveInto(half, mask, half.rect());
    return half;
}

void halveInto(QImage& half, const QImage& mask, const QRect& part) {
    const QRect rows = part & half.rect();
    const int lastX = mask.width() - 1;
    const int lastY = mask.height() - 1;
    for (int y = rows.top(); y <= rows.bottom(); ++y) {
        const uchar* upper = mask.constScanLine(2 * y);
        const uchar* lower = mask.constScanLine(std::min(2 * y + 1, lastY));
        uchar* to = half.scanLine(y);
        for (int x = rows.left(); x <= rows.right(); ++x) {
            const int left = 2 * x;
            const int right = std::min(left + 1, lastX);
            to[x] = static_cast<uchar>(
                (upper[left] + upper[right] + lower[left] + lower[right] + 2) / 4);
        }
    }
}

}  // namespace lowtide::ui
