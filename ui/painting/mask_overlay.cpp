#include "ui/painting/mask_overlay.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr int kStripe = 8;       ///< pixels of the screen
constexpr int kEdgeLevel = 128;  ///< where the line runs
constexpr QRgb kLightLine = 0xffffffff;
constexpr QRgb kDarkLine = 0xff000000;

using Shades = std::array<QRgb, 256>;

Shades shadesOf(const QColor& colour, double opacity) {
    Shades shades{};
    for (int level = 0; level < 256; ++level) {
        const int alpha = static_cast<int>(std::lround(opacity * level));
        shades[static_cast<size_t>(level)] =
            qPremultiply(qRgba(colour.red(), colour.green(), colour.blue(), alpha));
    }
    return shades;
}

const QImage& levelFor(const std::vector<QImage>& levels, double wanted) {
    size_t level = 0;
    while (level + 1 < levels.size() && levels[level + 1].width() >= wanted) {
        ++level;
    }
    return levels[level];
}

/// Of each pixel that is shown, and one more on each side: the level of the mask there.
class Shown {
public:
    Shown(const QImage& mask, const QRectF& part, const QSize& size)
        : width_(size.width() + 2), levels_(static_cast<size_t>(width_) * (size.height() + 2)) {
        std::vector<int> columns(static_cast<size_t>(width_));
        const double stepX = part.width() / size.width();
        const double stepY = part.height() / size.height();
        for (int x = 0; x < width_; ++x) {
            const double at = part.x() + (x - 0.5) * stepX;
            columns[static_cast<size_t>(x)] =
                std::clamp(static_cast<int>(std::floor(at)), 0, mask.width() - 1);
        }
        for (int y = 0; y < size.height() + 2; ++y) {
            const double at = part.y() + (y - 0.5) * stepY;
            const uchar* row = mask.constScanLine(
                std::clamp(static_cast<int>(std::floor(at)), 0, mask.height() - 1));
            uchar* to = levels_.data() + static_cast<size_t>(y) * static_cast<size_t>(width_);
            for (int x = 0; x < width_; ++x) {
                to[x] = row[columns[static_cast<size_t>(x)]];
            }
        }
    }

    /// From -1 to the width and height.
    [[nodiscard]] const uchar* row(int y) const {
        return levels_.data() + static_cast<size_t>(y + 1) * static_cast<size_t>(width_) + 1;
    }

private:
    int width_;
    std::vector<uchar> levels_;
};

bool isMasked(uchar level) {
    return level >= kEdgeLevel;
}

}  // namespace

QImage maskOverlay(const std::vector<QImage>& levels,
                   const QRectF& part,
                   const QSize& size,
                   const QPoint& origin,
                   const OverlayLook& look) {
    QImage overlay(size, QImage::Format_ARGB32_Premultiplied);
    if (overlay.isNull() || part.isEmpty()) {
        return {};
    }
    const double whole = levels.front().width();
    const QImage& mask = levelFor(levels, whole * size.width() / part.width());
    const double scaleX = mask.width() / whole;
    const double scaleY = double(mask.height()) / levels.front().height();
    const Shown shown(
        mask,
        {part.x() * scaleX, part.y() * scaleY, part.width() * scaleX, part.height() * scaleY},
        size);
    const Shades shades[] = {shadesOf(look.colour, look.opacity),
                             shadesOf(look.colour.lighter(150), look.opacity)};
    for (int y = 0; y < size.height(); ++y) {
        const uchar* above = shown.row(y - 1);
        const uchar* row = shown.row(y);
        const uchar* below = shown.row(y + 1);
        auto* to = reinterpret_cast<QRgb*>(overlay.scanLine(y));
        for (int x = 0; x < size.width(); ++x) {
            const int diagonal = x + origin.x() + y + origin.y();
            const bool areAround = isMasked(above[x]) && isMasked(below[x]) &&
                                   isMasked(row[x - 1]) && isMasked(row[x + 1]);
            if (isMasked(row[x]) && !areAround) {
                to[x] = (diagonal / (kStripe / 2)) % 2 == 0 ? kLightLine : kDarkLine;
            } else {
                to[x] = shades[(diagonal / kStripe) % 2 == 0 ? 0 : 1][row[x]];
            }
        }
    }
    return overlay;
}

}  // namespace lowtide::ui
