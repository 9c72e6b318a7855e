#pragma once
// What the style paints everything from, in the colours of the theme in use.

#include <QColor>
#include <QPainter>
#include <QRectF>
#include <QStyleOption>

namespace lowtide::ui {

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

/// A colour of the theme in use.
[[nodiscard]] QColor themeColour(const char* token);

/// A box with rounded corners and a line of one pixel that lies on whole pixels; an invalid colour
/// leaves its part out.
void paintBox(
    QPainter& painter, const QRectF& rect, const QColor& fill, const QColor& line, double radius);
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
