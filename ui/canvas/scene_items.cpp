#include "ui/canvas/scene_items.hpp"

#include <QCoreApplication>
#include <QStyleOptionGraphicsItem>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr double kNodeOutside = 12;  ///< ports, shadow and border reach over the body

constexpr double kBoxMargin = 12;
constexpr double kFoldSide = 16;
constexpr double kBoxOutside = 4;

constexpr double kFrameRadius = 8;
constexpr double kGround = 0.55;

constexpr double kNoteRadius = 4;
constexpr double kNoteLine = 20;

}  // namespace

NodeItem::NodeItem(const Look& look) : look_(look) {
    setFlag(ItemIsSelectable);
}

void NodeItem::setFace(NodeFace face) {
    face_ = std::move(face);
    layOut();
}

void NodeItem::setStatus(const NodeStatus& status) {
    const bool sameShape = status.nodeImage.size() == status_.nodeImage.size() &&
                           headerMarks(face_, status) == headerMarks(face_, status_);
    if (status.nodeImage.cacheKey() != status_.nodeImage.cacheKey()) {
        scaledImage_ = {};
    }
    status_ = status;
    issues_ = issuesOf(status_.issues);
    if (sameShape) {
        texts_.footer = footerTexts(face_, status_, layout_, look_);
        if (largeTexts_) {  // the rest is kept: progress comes often
            largeTexts_->footer = footerTexts(face_, status_, layout_, look_, TextSize::Large);
        }
        update();
    } else {
        layOut();
    }
}

void NodeItem::lookChanged() {
    layOut();
}

void NodeItem::layOut() {
    prepareGeometryChange();
    layout_ = layoutNode(face_,
                         labelWidths(face_, look_),
                         status_.nodeImage.size(),
                         static_cast<int>(headerMarks(face_, status_).size()));
    texts_.face = faceTexts(face_, layout_, look_);
    texts_.footer = footerTexts(face_, status_, layout_, look_);
    largeTexts_.reset();
    update();
}

const NodeTexts& NodeItem::texts(double zoom) {
    if (zoom >= kLargeTextZoom) {
        return texts_;
    }
    if (!largeTexts_) {
        largeTexts_ = {.face = faceTexts(face_, layout_, look_, TextSize::Large),
                       .footer = footerTexts(face_, status_, layout_, look_, TextSize::Large)};
    }
    return *largeTexts_;
}

QRectF NodeItem::valueInScene(int row) const {
    return layout_.rows.at(static_cast<size_t>(row)).value.translated(pos());
}

QPointF NodeItem::inputInScene(const std::string& port) const {
    const int index = face_.inputIndex(port);
    return pos() + (index < 0 ? QPointF(0, layout_.header.center().y())
                              : layout_.inputs[static_cast<size_t>(index)].centre);
}

QPointF NodeItem::outputInScene(const std::string& port) const {
    const int index = face_.outputIndex(port);
    return pos() + (index < 0 ? QPointF(layout_.body.right(), layout_.header.center().y())
                              : layout_.outputs[static_cast<size_t>(index)].centre);
}

NodePartAt NodeItem::partAtScene(QPointF point, double reach) const {
    return partAt(layout_, point - pos(), reach);
}

void NodeItem::setHovered(NodePartAt part) {
    if (part.part != hovered_.part || part.index != hovered_.index) {
        hovered_ = part;
        update();
    }
}

void NodeItem::setMarked(const std::string& item) {
    marked_ = item;
    update();
}

QRectF NodeItem::boundingRect() const {
    return layout_.body.adjusted(-kNodeOutside, -kNodeOutside, kNodeOutside, kNodeOutside);
}

/// Scaling again for every frame is expensive; an image is scaled once for each zoom.
const QImage& NodeItem::imageFor(double pixelsPerUnit) {
    const QSize wanted =
        (layout_.nodeImage.size() * pixelsPerUnit).toSize().boundedTo(status_.nodeImage.size());
    if (!wanted.isEmpty() && scaledImage_.size() != wanted) {
        scaledImage_ =
            status_.nodeImage.scaled(wanted, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
                .convertToFormat(QImage::Format_ARGB32_Premultiplied);
    }
    return scaledImage_;
}

void NodeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
    const double zoom = painter->worldTransform().m11();
    const double pixels = zoom * painter->device()->devicePixelRatioF();
    paintNode(*painter,
              {.face = face_,
               .layout = layout_,
               .texts = zoom < kTextZoom ? texts_ : texts(zoom),
               .status = status_,
               .issues = issues_,
               .nodeImage = imageFor(pixels),
               .hovered = hovered_,
               .marked = marked_,
               .isSelected = isSelected()},
              look_,
              zoom);
}

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

void NoteItem::layOut() {
    const QRectF area = textRect();
    const bool isEmpty = box_.text.empty();
    texts_ = linesIn(area,
                     isEmpty ? QCoreApplication::translate("NoteItem", "Double-click to write")
                             : QString::fromStdString(box_.text),
                     look_.bodyFont,
                     isEmpty ? look_.muted : look_.text,
                     std::max(1, static_cast<int>(area.height() / kNoteLine)),
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
