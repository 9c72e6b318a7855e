#include "ui/painting/brush.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

Brush Brush::resized(double steps) const {
    Brush brush = *this;
    const double wanted = diameter * std::pow(kStep, steps);
    const double atLeast = steps > 0 ? diameter + 1 : diameter - 1;
    brush.diameter =
        std::clamp(std::round(steps > 0 ? std::max(wanted, atLeast) : std::min(wanted, atLeast)),
                   kLeast,
                   kMost);
    return brush;
}

Brush Brush::hardened(double steps) const {
    Brush brush = *this;
    brush.hardness = std::clamp(hardness + steps * kHardnessStep, 0.0, 1.0);
    return brush;
}

BrushEdge::BrushEdge(double radius, double hardness)
    : inner_(static_cast<float>(std::max(0.0, std::min(radius * hardness, radius - 0.5)))),
      outer_(static_cast<float>(std::max(radius, double(inner_) + 1))) {}

float BrushEdge::shareAt(float distanceSquared) const {
    if (distanceSquared <= inner_ * inner_) {
        return 1;
    }
    if (distanceSquared >= outer_ * outer_) {
        return 0;
    }
    const float left = (outer_ - std::sqrt(distanceSquared)) / (outer_ - inner_);
    return left * left * (3 - 2 * left);
}

}  // namespace lowtide::ui
