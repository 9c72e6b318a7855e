#include "ui/canvas/search_row.hpp"

#include "ui/canvas/port_mark.hpp"
#include "ui/theme/theme.hpp"

#include <QPainter>
#include <QStandardItem>

namespace lowtide::ui {

namespace {

enum Role { kAsideRole = Qt::UserRole + 1, kWireTypeRole };

constexpr int kRowHeight = 28;
constexpr int kIndent = 28;

}  // namespace

QStandardItem* SearchRow::item(const QString& text, const QString& aside, const std::string& type) {
    auto* item = new QStandardItem(text);
    item->setData(aside, kAsideRole);
    item->setData(QString::fromStdString(type), kWireTypeRole);
    return item;
}

QStandardItem* SearchRow::itemFor(const SearchHit& hit, const PortWanted& wanted) {
    const NodeDesc& desc = *hit.desc;
    const auto& ports = desc.outputs.empty() ? desc.inputs : desc.outputs;
    const PortDesc* port =
        wanted.asInput ? graph::findInput(desc, hit.port) : graph::findOutput(desc, hit.port);
    QStandardItem* made =
        item(QString::fromStdString(desc.label),
             port == nullptr ? QString::fromStdString(desc.category)
                             : tr("to %1").arg(QString::fromStdString(port->label)),
             port != nullptr ? port->type
             : ports.empty() ? "*"
                             : ports.front().type);
    made->setData(QString::fromStdString(desc.tooltip), Qt::AccessibleDescriptionRole);
    return made;
}

void SearchRow::paint(QPainter* painter,
                      const QStyleOptionViewItem& option,
                      const QModelIndex& index) const {
    const Theme& theme = Theme::current();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF rect = option.rect;
    if (option.state.testFlag(QStyle::State_Selected)) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(theme.colour("selection"));
        painter->drawRoundedRect(rect.adjusted(0, 1, 0, -1), 4, 4);
    }
    const std::string type = index.data(kWireTypeRole).toString().toStdString();
    painter->setPen(Qt::NoPen);
    painter->setBrush(theme.wireColour(type));
    painter->drawPath(portMark(theme.portShape(type), 4.5)
                          .translated(rect.left() + kIndent / 2.0, rect.center().y()));
    const QString aside = index.data(kAsideRole).toString();
    const QFont small = theme.font("small");
    const int asideWidth = QFontMetrics(small).horizontalAdvance(aside);
    painter->setFont(small);
    painter->setPen(theme.colour("text.muted"));
    painter->drawText(rect.adjusted(0, 0, -8, 0), Qt::AlignRight | Qt::AlignVCenter, aside);
    painter->setFont(theme.font("body"));
    painter->setPen(theme.colour("text"));
    const QRectF room = rect.adjusted(kIndent, 0, -16 - asideWidth, 0);
    painter->drawText(
        room,
        Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetrics(theme.font("body"))
            .elidedText(index.data().toString(), Qt::ElideRight, static_cast<int>(room.width())));
    painter->restore();
}

QSize SearchRow::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
    return {option.rect.width(), kRowHeight};
}

}  // namespace lowtide::ui
