#pragma once

#include <QPainterPath>
#include <QPointF>
#include <QRectF>

#include <vector>

namespace lowtide::ui {

/// A wire's line. It leaves an output to the right and enters an input from the left.
struct WirePath {
    QPainterPath curve;
    std::vector<QPointF> points;  ///< the curve as short straight pieces, for distances
    QRectF bounds;
    bool isClear = true;  ///< no node stands in the direct way
};

/// What a wire does not run behind.
struct InTheWay {
    std::vector<QRectF> others;  ///< bodies of nodes at which it does not end
    QRectF source{};             ///< body of the node that it leaves; null: none
    QRectF target{};             ///< body of the node that it enters; null: none
};

/// How far from its ends a wire looks for a way around, in canvas units.
inline constexpr double kLookAround = 600;

/// Through the points of `via` in order; around what is in the way, as far as there is a way.
/// `track` (0, 1, ...) keeps such detours of different sources apart.
[[nodiscard]] WirePath wirePath(
    QPointF from, QPointF to, const std::vector<QPointF>& via, const InTheWay& inTheWay, int track);

/// Distance of the point from the wire's line.
[[nodiscard]] double distanceTo(const WirePath& path, QPointF point);

/// Between which points of `via` the wire comes nearest to `point`: the index at which a new one
/// is put in.
[[nodiscard]] size_t positionOnWire(QPointF from,
                                    QPointF to,
                                    const std::vector<QPointF>& via,
                                    QPointF point);

}  // namespace lowtide::ui
