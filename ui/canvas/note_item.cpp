#include "ui/canvas/box_item.hpp"
#include "ui/canvas/node_painter.hpp"

#include <QCoreApplication>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr double kNoteRadius = 4;
constexpr double kNoteLine = 20;

}  // namespace

void NoteItem::layOut() {
    const QRectF room = textRect();
    const bool isEmpty = box_.text.empty();
    texts_ = linesIn(room,
                     isEmpty ? QCoreApplication::translate("NoteItem", "Double-click to write")
                             : QString::fromStdString(box_.text),
                     look_.bodyFont,
                     isEmpty ? look_.muted : look_.text,
                     std::max(1, static_cast<int>(room.height() / kNoteLine)),
                     kNoteLine);
}

void NoteItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
    const QRectF rect = localRect();
    const QColor ground = look_.ground(box_.colour.empty() ? "amber" : box_.colour);
    const double zoom = painter->worldTransform().m11();
    painter->setRenderHint(QPainter::Antialiasing);
    QPen pen(isSelected() ? look_.selected : mixed(ground, look_.text, 0.15), isSelected() ? 2 : 1);
    pen.setCosmetic(zoom < kTextZoom);
    painter->setPen(pen);
    painter->setBrush(ground);
    painter->drawRoundedRect(rect, kNoteRadius, kNoteRadius);
    if (zoom < kTextZoom) {
        return;
    }
    ui::paint(*painter, texts_);
    painter->setPen(QPen(look_.muted, 1.25, Qt::SolidLine, Qt::RoundCap));
    for (const double step : {5.0, 9.0}) {
        painter->drawLine(rect.bottomRight() - QPointF(step, 3),
                          rect.bottomRight() - QPointF(3, step));
    }
}

}  // namespace lowtide::ui
