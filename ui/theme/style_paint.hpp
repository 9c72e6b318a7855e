#pragma once

// Colours, and what the style paints everything from.

#include <QColor>
#include <QPainter>
#include <QRectF>
#include <QStyleOption>

class QWidget;

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

/// How a widget is at the moment, read once from its option.
struct WidgetState {
    explicit WidgetState(const QStyleOption& option)
        : isEnabled(option.state & QStyle::State_Enabled),
          isHovered(isEnabled && (option.state & QStyle::State_MouseOver)),
          isPressed(isEnabled && (option.state & QStyle::State_Sunken)),
          isOn(option.state & QStyle::State_On),
          isSelected(option.state & QStyle::State_Selected),
          hasFocus(option.state & QStyle::State_HasFocus),
          hasKeyboardFocus(hasFocus && (option.state & QStyle::State_KeyboardFocusChange)) {}

    bool isEnabled;
    bool isHovered;
    bool isPressed;
    bool isOn;
    bool isSelected;
    bool hasFocus;
    bool hasKeyboardFocus;
    bool isWrong = false;  ///< what it holds is refused: the widget's property "problem"
};

/// Whether setPrimary() was called for it.
[[nodiscard]] bool isPrimary(const QWidget* widget);

/// A colour of the theme in use.
[[nodiscard]] QColor themeColour(const char* token);

/// A box with rounded corners and a line of one pixel that lies on whole pixels; an invalid colour
/// leaves its part out.
void paintBox(
    QPainter& painter, const QRectF& rect, const QColor& fill, const QColor& line, double radius);
/// Pixels between the edge of a primary tool button and its label, on each side.
inline constexpr int kPrimaryInset = 6;
/// A ring of two pixels just inside the rect.
void paintFocusRing(QPainter& painter, const QRectF& rect, double radius);
/// An icon of the theme in the middle of the rect, `side` pixels large at most.
void paintGlyph(QPainter& painter,
                const QRectF& rect,
                const char* name,
                const char* colourToken,
                double side = 16);
/// The frame and ground of a field that is written in: line edit, combo box, spin box.
void paintField(QPainter& painter, const QRectF& rect, const WidgetState& state);

}  // namespace lowtide::ui
