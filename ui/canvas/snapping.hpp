#pragma once

#include <QLineF>
#include <QPointF>
#include <QRectF>

#include <vector>

namespace lowtide::ui {

/// By how much a moved rectangle is shifted so that it lines up, and the lines that say with what.
struct Snapped {
    QPointF shift;
    std::vector<QLineF> guides;
};

/// Edges and middles of `others` within `reach` win, else the grid; each axis on its own.
[[nodiscard]] Snapped snapped(const QRectF& moved,
                              const std::vector<QRectF>& others,
                              double grid,
                              double reach);

}  // namespace lowtide::ui
