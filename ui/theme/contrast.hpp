#pragma once

#include <QColor>

namespace lowtide::ui {

/// Relative luminance, 0 (black) to 1 (white). Source: WCAG 2.1, "relative luminance".
[[nodiscard]] double luminanceOf(const QColor& colour);

/// Contrast of two opaque colours, 1 (none) to 21 (black on white). Text needs 4.5, borders and
/// signs 3. Source: WCAG 2.1, "contrast ratio", 1.4.3 and 1.4.11.
[[nodiscard]] double contrastOf(const QColor& one, const QColor& other);

/// `over` painted on `under`: what is seen where a colour lets something through.
[[nodiscard]] QColor blended(const QColor& over, const QColor& under);

/// The colour with another opacity, 0 to 1.
[[nodiscard]] QColor withAlpha(QColor colour, double opacity);

}  // namespace lowtide::ui
