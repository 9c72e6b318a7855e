#pragma once

#include <QImage>

namespace lowtide::ui {

/// Most pixels of a mask.
inline constexpr qint64 kMostMaskPixels = 64LL * 1024 * 1024;

// Masks are Format_Grayscale8: 255 is made anew, 0 stays, levels between are mixed. What lies
// outside of the picture counts for nothing.

[[nodiscard]] QImage filledMask(const QSize& size, uchar level);
[[nodiscard]] bool isBlank(const QImage& mask);
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

}  // namespace lowtide::ui
