#include "ui/canvas/box_item.hpp"
#include "ui/canvas/node_painter.hpp"

namespace lowtide::ui {

namespace {

constexpr double kFrameRadius = 8;
constexpr double kGround = 0.55;

}  // namespace

void FrameItem::layOut() {
    const QString title = QString::fromStdString(box_.text);
    texts_ = {lineIn(textRect(), title, look_.strongFont, look_.text, Qt::AlignLeft),
              lineIn(textRect(), title, look_.largeStrongFont, look_.text, Qt::AlignLeft)};
}

void FrameItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
    const QRectF rect = localRect();
    const QColor ground = look_.ground(box_.colour);
    const double zoom = painter->worldTransform().m11();
    painter->setRenderHint(QPainter::Antialiasing);
    QPen pen(isSelected() ? look_.selected : mixed(ground, look_.text, 0.2), isSelected() ? 2 : 1);
    pen.setCosmetic(zoom < kTextZoom);
    painter->setPen(pen);
    painter->setBrush(mixed(look_.canvas, ground, box_.isCollapsed ? 1.0 : kGround));
    painter->drawRoundedRect(rect, kFrameRadius, kFrameRadius);
    painter->setPen(Qt::NoPen);
    painter->setBrush(ground);
    painter->drawRoundedRect(
        QRectF(1, 1, rect.width() - 2, kTitleHeight - 2), kFrameRadius - 1, kFrameRadius - 1);
    if (zoom < kTextZoom) {
        return;
    }
    look_.icon(box_.isCollapsed ? "chevron-right" : "chevron-down", "text.muted")
        .paint(painter, QRect(8, 8, 16, 16));
    ui::paint(*painter, std::span(texts_).subspan(zoom < kLargeTextZoom ? 1 : 0, 1));
    if (!box_.isCollapsed) {
        painter->setPen(QPen(look_.muted, 1.25, Qt::SolidLine, Qt::RoundCap));
        for (const double step : {5.0, 9.0}) {
            painter->drawLine(rect.bottomRight() - QPointF(step, 3),
                              rect.bottomRight() - QPointF(3, step));
        }
    }
}

}  // namespace lowtide::ui
