#include "ui/theme/flow_row.hpp"

#include <QHBoxLayout>
#include <QStyle>
#include <QWidget>

#include <algorithm>

namespace lowtide::ui {

namespace {

bool doesExpand(const QLayoutItem& item) {
    return item.expandingDirections().testFlag(Qt::Horizontal);
}

/// What an item wants; one that expands is as narrow as it may be before its line breaks.
int wantedWidth(const QLayoutItem& item) {
    return doesExpand(item) ? item.minimumSize().width() : item.sizeHint().width();
}

int heightIn(const QLayoutItem& item, int width) {
    return item.hasHeightForWidth() ? item.heightForWidth(width) : item.sizeHint().height();
}

}  // namespace

FlowRow::FlowRow(QWidget* parent) : QLayout(parent) {}

FlowRow::~FlowRow() {
    while (!items_.isEmpty()) {
        delete items_.takeLast();  // a layout takes itself out of a list that it is still in
    }
}

void FlowRow::setAtEnd(bool isAtEnd) {
    isAtEnd_ = isAtEnd;
    invalidate();
}

void FlowRow::addGroup(const QList<QWidget*>& widgets) {
    auto* group = new QHBoxLayout;
    group->setContentsMargins(0, 0, 0, 0);
    group->setSpacing(spacing());
    for (QWidget* widget : widgets) {
        group->addWidget(widget);
    }
    addLayout(group);
}

void FlowRow::addLayout(QLayout* layout) {
    addChildLayout(layout);
    addItem(layout);
}

void FlowRow::addItem(QLayoutItem* item) {
    items_ << item;
    invalidate();
}

int FlowRow::count() const {
    return static_cast<int>(items_.size());
}

QLayoutItem* FlowRow::itemAt(int index) const {
    return items_.value(index);
}

QLayoutItem* FlowRow::takeAt(int index) {
    return index >= 0 && index < count() ? items_.takeAt(index) : nullptr;
}

Qt::Orientations FlowRow::expandingDirections() const {
    return Qt::Horizontal;
}

bool FlowRow::hasHeightForWidth() const {
    return true;
}

QList<FlowRow::Line> FlowRow::linesIn(int width) const {
    QList<Line> lines;
    for (QLayoutItem* item : items_) {
        if (item->isEmpty()) {
            continue;
        }
        const int wanted = std::min(wantedWidth(*item), width);
        const bool isFirst = lines.isEmpty();
        if (isFirst || lines.back().width + spacing() + wanted > width) {
            lines << Line{.items = {}, .width = wanted, .height = 0};
        } else {
            lines.back().width += spacing() + wanted;
        }
        lines.back().items << item;
        lines.back().height = std::max(lines.back().height, heightIn(*item, wanted));
    }
    return lines;
}

int FlowRow::heightForWidth(int width) const {
    const QMargins margins = contentsMargins();
    int height = margins.top() + margins.bottom();
    const QList<Line> lines = linesIn(width - margins.left() - margins.right());
    for (const Line& line : lines) {
        height += line.height;
    }
    return height + spacing() * std::max(0, static_cast<int>(lines.size()) - 1);
}

QSize FlowRow::sizeHint() const {
    const QMargins margins = contentsMargins();
    QSize size(0, 0);
    for (const QLayoutItem* item : items_) {
        if (!item->isEmpty()) {
            const QSize hint = item->sizeHint();
            size = {size.width() + hint.width() + (size.width() > 0 ? spacing() : 0),
                    std::max(size.height(), hint.height())};
        }
    }
    return size.grownBy(margins);
}

QSize FlowRow::minimumSize() const {
    QSize size(0, 0);
    for (const QLayoutItem* item : items_) {
        if (!item->isEmpty()) {
            size = size.expandedTo(item->minimumSize());
        }
    }
    return size.grownBy(contentsMargins());
}

void FlowRow::place(const Line& line, const QRect& room) const {
    const int expanding = static_cast<int>(std::count_if(
        line.items.begin(), line.items.end(), [](const auto* item) { return doesExpand(*item); }));
    const int spare = std::max(0, room.width() - line.width);
    int left = room.left() + (expanding == 0 && isAtEnd_ ? spare : 0);
    int toShare = spare;
    int sharers = expanding;
    for (QLayoutItem* item : line.items) {
        int width = std::min(wantedWidth(*item), room.width());
        if (doesExpand(*item)) {
            const int share = toShare / sharers--;
            toShare -= share;
            width += share;
        }
        const int height = std::min(line.height, heightIn(*item, width));
        const QRect place(left, room.top() + (line.height - height) / 2, width, height);
        item->setGeometry(QStyle::visualRect(parentWidget()->layoutDirection(), room, place));
        left += width + spacing();
    }
}

/// A column that runs out of height squeezes a row below what its lines need, unless the least
/// height of its widget says so.
void FlowRow::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    if (parentWidget()->layout() == this) {
        parentWidget()->setMinimumHeight(heightForWidth(rect.width()));
    }
    const QRect room = rect.marginsRemoved(contentsMargins());
    int top = room.top();
    for (const Line& line : linesIn(room.width())) {
        place(line, QRect(room.left(), top, room.width(), line.height));
        top += line.height + spacing();
    }
}

}  // namespace lowtide::ui
