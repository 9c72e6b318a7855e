#pragma once

#include <QColor>
#include <QImage>
#include <QRect>
#include <QRectF>

#include <vector>

namespace lowtide::ui {

/// Most pixels of a mask.
inline constexpr qint64 kMostMaskPixels = 64LL * 1024 * 1024;

// Masks are Format_Grayscale8: 255 is regenerated, 0 is kept, levels between are mixed. What lies
// outside of the image counts for nothing.

/// Fraction of a fraction, both of 255, rounded.
[[nodiscard]] inline uchar fractionOf(int level, int weight) {
    return static_cast<uchar>((level * weight + 127) / 255);
}

[[nodiscard]] QImage filledMask(const QSize& size, uchar level);
[[nodiscard]] bool isBlank(const QImage& mask);
/// Around every pixel that is masked by half or more; null: there is none.
[[nodiscard]] QRect maskedRect(const QImage& mask);
/// Whether just the pixels of maskedRect() are masked by half or more.
[[nodiscard]] bool isRectangle(const QImage& mask);
[[nodiscard]] QImage inverted(const QImage& mask);
/// Each pixel becomes the largest level within that many pixels of it (a disc); below 0 the
/// smallest, so that the mask shrinks.
[[nodiscard]] QImage grown(const QImage& mask, int pixels);
/// Gaussian blur with that standard deviation in pixels; at the border the outermost pixels go on.
[[nodiscard]] QImage feathered(const QImage& mask, double sigma);

/// Half as many pixels a side (rounded up), each the mean of four.
[[nodiscard]] QImage halved(const QImage& mask);
/// The same for that part of `half`, which has the size already.
void halveInto(QImage& half, const QImage& mask, const QRect& part);

/// How a mask is shown over its image.
struct OverlayLook {
    QColor colour{230, 30, 50};
    double opacity = 0.5;
};

/// The mask as it lies over an image: tinted in stripes of two shades where it is, and a line
/// of light and dark around it, so that it is seen on every image. `levels`: of a MaskCanvas.
/// `part`: pixels of the mask that are shown, `size`: as that many pixels; `origin`: where those
/// lie on the screen, so that stripes of neighbours go on.
[[nodiscard]] QImage maskOverlay(const std::vector<QImage>& levels,
                                 const QRectF& part,
                                 const QSize& size,
                                 const QPoint& origin,
                                 const OverlayLook& look);

}  // namespace lowtide::ui
