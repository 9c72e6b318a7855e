#include "ui/canvas/search_row.hpp"

#include "ui/canvas/port_mark.hpp"
#include "ui/theme/theme.hpp"

#include <QPainter>
#include <QStandardItem>

namespace lowtide::ui {

namespace {

enum Role { kCategory = Qt::UserRole + 1, kWireType };

constexpr int kRowHeight = 28;
constexpr int kIndent = 28;

}  // namespace

QStandardItem* SearchRow::itemFor(const SearchHit& hit, const PortWanted& wanted) {
    const NodeDesc& desc = *hit.desc;
    auto* item = new QStandardItem(QString::fromStdString(desc.label));
    const auto& ports = desc.outputs.empty() ? desc.inputs : desc.outputs;
    const PortDesc* port =
        wanted.asInput ? graph::findInput(desc, hit.port) : graph::findOutput(desc, hit.port);
    item->setData(port == nullptr ? QString::fromStdString(desc.category)
                                  : tr("to %1").arg(QString::fromStdString(port->label)),
                  kCategory);
    item->setData(QString::fromStdString(port != nullptr ? port->type
                                         : ports.empty() ? "*"
                                                         : ports.front().type),
                  kWireType);
    item->setData(QString::fromStdString(desc.tooltip), Qt::AccessibleDescriptionRole);
    return item;
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
    const std::string type = index.data(kWireType).toString().toStdString();
    painter->setPen(Qt::NoPen);
    painter->setBrush(theme.wireColour(type));
    painter->drawPath(portMark(theme.portShape(type), 4.5)
                          .translated(rect.left() + kIndent / 2.0, rect.center().y()));
    const QString category = index.data(kCategory).toString();
    const QFont small = theme.font("small");
    const int categoryWidth = QFontMetrics(small).horizontalAdvance(category);
    painter->setFont(small);
    painter->setPen(theme.colour("text.muted"));
    painter->drawText(rect.adjusted(0, 0, -8, 0), Qt::AlignRight | Qt::AlignVCenter, category);
    painter->setFont(theme.font("body"));
    painter->setPen(theme.colour("text"));
    const QRectF room = rect.adjusted(kIndent, 0, -16 - categoryWidth, 0);
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
