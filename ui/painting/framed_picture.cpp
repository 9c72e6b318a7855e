#include "ui/painting/framed_picture.hpp"

#include "ui/painting/mask_ops.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace lowtide::ui {

namespace {

/// RGB or RGBA of 8 bits, as PNG files have it.
QImage plain(const QImage& picture) {
    return picture.convertToFormat(picture.hasAlphaChannel() ? QImage::Format_RGBA8888
                                                             : QImage::Format_RGB888);
}

QImage extended(const QImage& picture, const QRect& frame) {
    QImage result(frame.size(), picture.format());
    const auto pixelBytes = static_cast<size_t>(picture.depth() / 8);
    for (int y = 0; y < frame.height(); ++y) {
        const uchar* from =
            picture.constScanLine(std::clamp(frame.top() + y, 0, picture.height() - 1));
        uchar* to = result.scanLine(y);
        for (int x = 0; x < frame.width(); ++x) {
            const int column = std::clamp(frame.left() + x, 0, picture.width() - 1);
            std::memcpy(to + static_cast<size_t>(x) * pixelBytes,
                        from + static_cast<size_t>(column) * pixelBytes,
                        pixelBytes);
        }
    }
    return result;
}

/// How far pixels of one axis of the frame lie inside of the picture, from those edges at which it
/// goes on; 0: outside.
std::vector<double> depthsOf(int first, int count, int side) {
    std::vector<double> depths(static_cast<size_t>(count));
    const bool goesOnBefore = first < 0;
    const bool goesOnBehind = first + count > side;
    for (int i = 0; i < count; ++i) {
        const int at = first + i;
        double depth = at < 0 || at >= side ? 0 : HUGE_VAL;
        depth = goesOnBefore && depth > 0 ? std::min(depth, at + 0.5) : depth;
        depth = goesOnBehind && depth > 0 ? std::min(depth, side - at - 0.5) : depth;
        depths[static_cast<size_t>(i)] = depth;
    }
    return depths;
}

uchar levelAt(double depth, int overlap) {
    if (depth <= 0) {
        return 255;
    }
    if (depth >= overlap) {
        return 0;
    }
    const double left = 1 - depth / overlap;
    return static_cast<uchar>(std::lround(255 * left * left * (3 - 2 * left)));
}

}  // namespace

FramedPicture framedPicture(const QImage& picture, const QRect& frame, int overlap) {
    const QImage given = plain(picture);
    if (given.rect().contains(frame)) {
        return {given.copy(frame), {}};
    }
    const std::vector<double> across = depthsOf(frame.left(), frame.width(), given.width());
    const std::vector<double> down = depthsOf(frame.top(), frame.height(), given.height());
    QImage mask = filledMask(frame.size(), 0);
    for (int y = 0; y < frame.height(); ++y) {
        uchar* row = mask.scanLine(y);
        for (int x = 0; x < frame.width(); ++x) {
            row[x] = levelAt(std::min(across[static_cast<size_t>(x)], down[static_cast<size_t>(y)]),
                             overlap);
        }
    }
    return {extended(given, frame), mask};
}

}  // namespace lowtide::ui
