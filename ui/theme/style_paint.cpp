#include "ui/theme/style_paint.hpp"

#include "ui/theme/icons.hpp"
#include "ui/theme/theme.hpp"

#include <QWidget>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

}  // namespace

double luminanceOf(const QColor& colour) {
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
}

double contrastOf(const QColor& one, const QColor& other) {
    const auto [darker, lighter] = std::minmax({luminanceOf(one), luminanceOf(other)});
    return (lighter + 0.05) / (darker + 0.05);
}

QColor blended(const QColor& over, const QColor& under) {
    const float fraction = over.alphaF();
    const auto mix = [fraction](float top, float bottom) {
        return fraction * top + (1.0F - fraction) * bottom;
    };
    return QColor::fromRgbF(mix(over.redF(), under.redF()),
                            mix(over.greenF(), under.greenF()),
                            mix(over.blueF(), under.blueF()));
}

QColor withAlpha(QColor colour, double opacity) {
    colour.setAlphaF(static_cast<float>(opacity));
    return colour;
}

bool isPrimary(const QWidget* widget) {
    return widget != nullptr && widget->property("primary").toBool();
}

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
    const int extent = static_cast<int>(std::min({rect.width(), rect.height(), side}));
    QRect square(0, 0, extent, extent);
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
