#pragma once

#include "ui/painting/brush.hpp"

#include <QRect>
#include <QRectF>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

/// A brush that moves in a straight line: how far a pixel is from where it passes nearest.
class BrushPass {
public:
    BrushPass(const BrushPoint& from, const BrushPoint& to, double hardness)
        : from_(from),
          to_(to),
          hardness_(hardness),
          isEven_(from.radius == to.radius && from.opacity == to.opacity),
          edge_(from.radius, hardness),
          alongX_(static_cast<float>(to.at.x() - from.at.x())),
          alongY_(static_cast<float>(to.at.y() - from.at.y())) {
        const float squared = alongX_ * alongX_ + alongY_ * alongY_;
        perSquared_ = squared > 0 ? 1 / squared : 0;
    }

    /// Whether some of a tile may be covered: its middle is near enough to the way.
    [[nodiscard]] bool mayTouch(const QRect& tile) const {
        const QPointF middle = QRectF(tile).center();
        const Away away = awayOf(middle.x(), middle.y());
        return std::sqrt(away.squared) <=
               std::hypot(tile.width(), tile.height()) / 2 + std::max(from_.radius, to_.radius) + 1;
    }

    /// How much it covers a pixel, of 255.
    [[nodiscard]] int levelAt(int x, int y) const {
        const auto [squared, place] = awayOf(x + 0.5, y + 0.5);
        const double share = isEven_ ? edge_.shareAt(squared) : unevenShareAt(squared, place);
        return static_cast<int>(255 * share * (from_.opacity + double(place) * opacityGain()) +
                                0.5);
    }

private:
    struct Away {
        float squared;  ///< of the distance
        float place;    ///< on the way, 0 to 1
    };

    [[nodiscard]] Away awayOf(double x, double y) const {
        const auto apartX = static_cast<float>(x - from_.at.x());
        const auto apartY = static_cast<float>(y - from_.at.y());
        const float place =
            std::clamp((apartX * alongX_ + apartY * alongY_) * perSquared_, 0.0f, 1.0f);
        const float awayX = apartX - place * alongX_;
        const float awayY = apartY - place * alongY_;
        return {awayX * awayX + awayY * awayY, place};
    }

    [[nodiscard]] double opacityGain() const { return to_.opacity - from_.opacity; }

    [[nodiscard]] float unevenShareAt(float squared, float place) const {
        const double radius = from_.radius + double(place) * (to_.radius - from_.radius);
        return BrushEdge(radius, hardness_).shareAt(squared);
    }

    const BrushPoint& from_;
    const BrushPoint& to_;
    double hardness_;
    bool isEven_;
    BrushEdge edge_;
    float alongX_;
    float alongY_;
    float perSquared_ = 0;
};

}  // namespace lowtide::ui
