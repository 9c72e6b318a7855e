#include "ui/canvas/port_mark.hpp"

#include <QPolygonF>

#include <cmath>
#include <numbers>

namespace lowtide::ui {

namespace {

QPainterPath regular(int corners, double radius, double firstAngle) {
    QPolygonF polygon;
    for (int i = 0; i < corners; ++i) {
        const double angle = firstAngle + 2 * std::numbers::pi * i / corners;
        polygon << QPointF(radius * std::cos(angle), radius * std::sin(angle));
    }
    QPainterPath path;
    path.addPolygon(polygon);
    path.closeSubpath();
    return path;
}

}  // namespace

QPainterPath portMark(Theme::PortShape shape, double half) {
    QPainterPath path;
    switch (shape) {
        case Theme::PortShape::Circle:
        case Theme::PortShape::Ring:
            path.addEllipse({}, half, half);
            break;
        case Theme::PortShape::Square:
            path.addRect(-half * 0.9, -half * 0.9, half * 1.8, half * 1.8);
            break;
        case Theme::PortShape::Diamond:
            path = regular(4, half * 1.2, 0);
            break;
        case Theme::PortShape::Triangle:
            path = regular(3, half * 1.25, 0);
            break;
        case Theme::PortShape::Hexagon:
            path = regular(6, half * 1.1, std::numbers::pi / 6);
            break;
    }
    if (shape == Theme::PortShape::Ring) {
        path.addEllipse({}, half * 0.45, half * 0.45);
        path.setFillRule(Qt::OddEvenFill);
    }
    return path;
}

}  // namespace lowtide::ui
