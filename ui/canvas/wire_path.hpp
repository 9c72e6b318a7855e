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
    bool isDetour = false;  ///< passes above or below nodes that stand in the way
};

/// Through the points of `via` in order. Without any it goes around `obstacles` where it would run
/// behind them; `lane` (0, 1, ...) keeps such detours of different sources apart.
[[nodiscard]] WirePath wirePath(QPointF from,
                                QPointF to,
                                const std::vector<QPointF>& via,
                                const std::vector<QRectF>& obstacles,
                                int lane);

/// Distance of the point from the wire's line.
[[nodiscard]] double distanceTo(const WirePath& path, QPointF point);

/// Between which points of `via` the wire passes nearest to `point`: the index at which a new one
/// is put in.
[[nodiscard]] size_t placeOnWire(QPointF from,
                                 QPointF to,
                                 const std::vector<QPointF>& via,
                                 QPointF point);

}  // namespace lowtide::ui
