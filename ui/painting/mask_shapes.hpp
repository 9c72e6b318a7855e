#pragma once

#include "ui/painting/mask_canvas.hpp"

#include <QImage>
#include <QPainterPath>
#include <QPoint>
#include <QPolygonF>
#include <QSize>

namespace lowtide::ui {

/// Adds a corner to a line that is drawn by hand, unless it lies nearer than `least` to the last
/// one: so a line has no more corners than its length needs.
void addCorner(QPolygonF& corners, const QPointF& corner, double least);

// What covers a part of a mask is a mask of its size: 255 is covered whole.

/// The inside of a path in pixels of the image; pixels that its edge crosses in part.
[[nodiscard]] QImage shapeCover(const QSize& size, const QPainterPath& shape);
/// The pixels of the image that are joined with `seed` over their sides by pixels like it: no
/// channel differs from the seed's by more than `tolerance`, 0 to 255. Nothing for a seed outside
/// of the image.
[[nodiscard]] QImage floodCover(const QImage& image, const QPoint& seed, int tolerance);
/// The mask with what is covered added to it or taken from it, as one stroke of a brush of that
/// opacity. Both have one size.
[[nodiscard]] QImage covered(const QImage& mask,
                             const QImage& cover,
                             StrokeKind kind,
                             double opacity);

}  // namespace lowtide::ui
