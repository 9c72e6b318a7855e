#include "ui/canvas/box_item.hpp"

#include <cmath>

namespace lowtide::ui {

namespace {

constexpr double kBoxMargin = 12;
constexpr double kFoldSide = 16;
constexpr double kBoxOutside = 4;

}  // namespace

BoxItem::BoxItem(const Look& look, BoxKind kind) : look_(look), kind_(kind) {
    setFlag(ItemIsSelectable);
}

void BoxItem::setBox(Box box) {
    prepareGeometryChange();
    box_ = std::move(box);
    setPos(box_.topLeft.x, box_.topLeft.y);
    layOut();
    update();
}

void BoxItem::lookChanged() {
    layOut();
    update();
}

QRectF BoxItem::localRect() const {
    const bool isFolded = kind_ == BoxKind::Frame && box_.isCollapsed;
    return {0, 0, box_.size.x, isFolded ? kTitleHeight : box_.size.y};
}

QRectF BoxItem::shownRect() const {
    return localRect().translated(pos());
}

QRectF BoxItem::wholeRect() const {
    return {pos(), QSizeF(box_.size.x, box_.size.y)};
}

QRectF BoxItem::textRect() const {
    if (kind_ == BoxKind::Note) {
        return localRect().adjusted(kBoxMargin, kBoxMargin, -kBoxMargin, -kBoxMargin);
    }
    return {kBoxMargin + kFoldSide, 0, box_.size.x - 2 * kBoxMargin - kFoldSide, kTitleHeight};
}

QRectF BoxItem::textInScene() const {
    return textRect().translated(pos());
}

BoxPart BoxItem::partAtScene(QPointF point, double reach) const {
    const QRectF rect = shownRect();
    if (!rect.contains(point)) {
        return BoxPart::None;
    }
    const QPointF corner = rect.bottomRight() - point;
    if (!box_.isCollapsed && std::max(corner.x(), corner.y()) <= std::max(reach, kBoxMargin)) {
        return BoxPart::Corner;
    }
    if (kind_ == BoxKind::Note) {
        return BoxPart::Title;
    }
    if (point.y() > rect.top() + kTitleHeight) {
        return BoxPart::Body;
    }
    return point.x() < rect.left() + kBoxMargin / 2 + kFoldSide + 4 ? BoxPart::Fold
                                                                    : BoxPart::Title;
}

QRectF BoxItem::boundingRect() const {
    return localRect().adjusted(-kBoxOutside, -kBoxOutside, kBoxOutside, kBoxOutside);
}

}  // namespace lowtide::ui
