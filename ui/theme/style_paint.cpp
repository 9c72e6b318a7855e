#include "ui/theme/style_paint.hpp"

#include "ui/theme/icon_engine.hpp"
#include "ui/theme/theme.hpp"

#include <algorithm>

namespace lowtide::ui {

QColor themeColour(const char* token) {
    return Theme::current().colour(token);
}

void paintBox(
    QPainter& painter, const QRectF& rect, const QColor& fill, const QColor& line, double radius) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(fill.isValid() ? QBrush(fill) : QBrush(Qt::NoBrush));
    painter.setPen(line.isValid() ? QPen(line, 1) : QPen(Qt::NoPen));
    const double inset = line.isValid() ? 0.5 : 0;
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius, radius);
    painter.restore();
}

void paintFocusRing(QPainter& painter, const QRectF& rect, double radius) {
    const int width = Theme::current().size("focus");
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(themeColour("focus"), width));
    const double inset = width / 2.0;
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius, radius);
    painter.restore();
}

void paintGlyph(
    QPainter& painter, const QRectF& rect, const char* name, const char* colourToken, double side) {
    const int room = static_cast<int>(std::min({rect.width(), rect.height(), side}));
    QRect square(0, 0, room, room);
    square.moveCenter(rect.center().toPoint());
    IconEngine(name, colourToken).paint(&painter, square, QIcon::Normal, QIcon::Off);
}

void paintField(QPainter& painter, const QRectF& rect, const WidgetState& state) {
    const double radius = Theme::current().size("radius");
    const QColor ground = themeColour(state.isEnabled ? "field" : "surface");
    const char* line = state.isWrong      ? "error"
                       : !state.isEnabled ? "border"
                       : state.isHovered  ? "text.muted"
                                          : "border.strong";
    paintBox(painter, rect, ground, themeColour(line), radius);
    if (state.isWrong) {
        paintBox(painter, rect.adjusted(1, 1, -1, -1), QColor(), themeColour("error"), radius - 1);
    }
    if (state.hasFocus) {
        paintFocusRing(painter, state.isWrong ? rect.adjusted(2, 2, -2, -2) : rect, radius);
    }
}

}  // namespace lowtide::ui
