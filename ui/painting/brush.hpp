#pragma once

#include <QPointF>

namespace lowtide::ui {

/// What a stroke is painted with.
struct Brush {
    double diameter = 64;   ///< pixels of the picture
    double hardness = 0.8;  ///< share of the radius within which it covers whole
    double opacity = 1;     ///< most that a stroke covers

    static constexpr double kLeast = 1;
    static constexpr double kMost = 1024;
    /// A key changes the diameter by this factor, at least by a pixel.
    static constexpr double kStep = 1.2;
    static constexpr double kHardnessStep = 0.1;

    /// `steps` keys larger (above 0) or smaller.
    [[nodiscard]] Brush resized(double steps) const;
    [[nodiscard]] Brush hardened(double steps) const;
};

/// How much a brush covers at a distance from its middle, 0 to 1: whole inside, then falling
/// smoothly to nothing at the radius. A hard brush still has an edge of one pixel.
class BrushEdge {
public:
    BrushEdge(double radius, double hardness);

    [[nodiscard]] double outer() const { return outer_; }

    [[nodiscard]] float shareAt(float distanceSquared) const;

private:
    float inner_;
    float outer_;
};

/// A place of the pen: where, and how large and strong the brush is there.
struct BrushPoint {
    QPointF at;          ///< pixels of the picture
    double radius = 32;  ///< pixels
    double opacity = 1;
};

}  // namespace lowtide::ui
