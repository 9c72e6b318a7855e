#pragma once

#include <QColor>
#include <QImage>
#include <QRectF>

#include <vector>

namespace lowtide::ui {

/// How a mask is shown over its picture.
struct OverlayLook {
    QColor colour{230, 30, 50};
    double opacity = 0.5;
};

/// The mask as it lies over a picture: tinted in stripes of two shades where it is, and a line
/// of light and dark around it, so that it is seen on every picture. `levels`: of a MaskCanvas.
/// `part`: pixels of the mask that are shown, `size`: as that many pixels; `origin`: where those
/// lie on the screen, so that stripes of neighbours go on.
[[nodiscard]] QImage maskOverlay(const std::vector<QImage>& levels,
                                 const QRectF& part,
                                 const QSize& size,
                                 const QPoint& origin,
                                 const OverlayLook& look);

}  // namespace lowtide::ui
