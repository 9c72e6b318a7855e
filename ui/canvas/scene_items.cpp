#include "ui/canvas/scene_items.hpp"

#include "ui/canvas/node_widths.hpp"

#include <QCoreApplication>
#include <QStyleOptionGraphicsItem>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr double kNodeOutside = 12;  ///< ports, shadow and border reach over the body
constexpr double kImageMargins = 8;  ///< free above and below an image, together

constexpr double kBoxMargin = 12;
constexpr double kFoldSide = 16;
constexpr double kBoxOutside = 4;
constexpr double kTitleHeight = 32;  ///< of a frame
constexpr double kFrameRadius = 8;
constexpr double kGround = 0.55;
constexpr double kNoteRadius = 4;
constexpr double kNoteLine = 20;
constexpr double kFarStep = 1.1;  ///< of zooms between which a title from afar is laid out once

}  // namespace

void FarTitle::forget() {
    zoom_ = 0;
}

const NodeTexts& FarTitle::at(double zoom, const QString& title, QSizeF size, const Look& look) {
    const double below = std::pow(kFarStep, std::floor(std::log(zoom) / std::log(kFarStep)));
    if (below != zoom_) {
        zoom_ = below;
        texts_.face = farTitle(title, size * below, look);
    }
    return texts_;
}

NodeItem::NodeItem(const Look& look) : look_(look) {
    setFlag(ItemIsSelectable);
}

void NodeItem::setFace(NodeFace face) {
    face_ = std::move(face);
    wantedWidth_ = ui::wantedWidth(face_, look_);
    layOut();
}

void NodeItem::setWidth(double width) {
    if (width != width_) {
        width_ = width;
        layOut();
    }
}

QRectF NodeItem::leastBodyInScene() const {
    const double image =
        layout_.nodeImage.isNull() ? 0 : layout_.nodeImage.height() + kImageMargins;
    return {pos(), QSizeF(node_measures::kLeastWidth, layout_.body.height() - image)};
}

void NodeItem::offerFolded(const std::string& type) {
    if (type != offered_) {
        offered_ = type;
        layOut();
    }
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
        if (texts_) {
            texts_->footer = footerTexts(face_, status_, layout_, look_);
        }
        if (largeTexts_) {  // the rest is kept: progress comes often
            largeTexts_->footer = footerTexts(face_, status_, layout_, look_, TextSize::Large);
        }
        update();
    } else {
        layOut();
    }
}

void NodeItem::lookChanged() {
    wantedWidth_ = ui::wantedWidth(face_, look_);
    layOut();
}

void NodeItem::layOut() {
    prepareGeometryChange();
    layout_ = layoutNode(face_,
                         labelWidths(face_, look_),
                         status_.nodeImage.size(),
                         static_cast<int>(headerMarks(face_, status_).size()),
                         width_);
    if (!offered_.empty()) {
        addFlyout(layout_, face_, offered_, look_);
    }
    texts_.reset();
    largeTexts_.reset();
    farTitle_.forget();
    update();
}

const NodeTexts& NodeItem::texts(double zoom) {
    const TextSize size = zoom >= kLargeTextZoom ? TextSize::Normal : TextSize::Large;
    std::optional<NodeTexts>& kept = size == TextSize::Normal ? texts_ : largeTexts_;
    if (!kept) {
        kept = {.face = faceTexts(face_, layout_, look_, size),
                .footer = footerTexts(face_, status_, layout_, look_, size)};
    }
    return *kept;
}

QRectF NodeItem::valueInScene(int row) const {
    return layout_.rows.at(static_cast<size_t>(row)).value.translated(pos());
}

QPointF NodeItem::portInScene(const std::string& port, bool isOutput) const {
    const int index = isOutput ? face_.outputIndex(port) : face_.inputIndex(port);
    const auto& spots = isOutput ? layout_.outputs : layout_.inputs;
    const QPointF edge(isOutput ? layout_.body.right() : 0, layout_.header.center().y());
    return pos() + (index < 0 ? edge : spots[static_cast<size_t>(index)].centre);
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
    return (layout_.body | layout_.flyout)
        .adjusted(-kNodeOutside, -kNodeOutside, kNodeOutside, kNodeOutside);
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
    const double free =
        layout_.nodeImage.isNull() ? layout_.body.height() : layout_.nodeImage.top();
    const QSizeF titled(layout_.body.width(), free);
    paintNode(
        *painter,
        {.face = face_,
         .layout = layout_,
         .texts = zoom < kTextZoom ? farTitle_.at(zoom, face_.title, titled, look_) : texts(zoom),
         .status = status_,
         .issues = issues_,
         .nodeImage = imageFor(pixels),
         .hovered = hovered_,
         .marked = marked_,
         .isSelected = isSelected()},
        look_,
        zoom);
}

BoxItem::BoxItem(const Look& look, BoxKind kind, BoxSize size)
    : look_(look), kind_(kind), size_(size) {
    setFlag(ItemIsSelectable, size == BoxSize::Own);
    setZValue(isFrame() ? -1 : -0.5);
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
    const bool isFolded = isFrame() && box_.isCollapsed;
    return {0, 0, box_.size.x, isFolded ? kTitleHeight : box_.size.y};
}

QRectF BoxItem::shownRect() const {
    return localRect().translated(pos());
}

QRectF BoxItem::wholeRect() const {
    return {pos(), QSizeF(box_.size.x, box_.size.y)};
}

QRectF BoxItem::textRect() const {
    if (!isFrame()) {
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
    if (size_ == BoxSize::Own && !box_.isCollapsed &&
        std::max(corner.x(), corner.y()) <= std::max(reach, kBoxMargin)) {
        return BoxPart::Corner;
    }
    if (!isFrame()) {
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

void BoxItem::layOut() {
    farTitle_.forget();
    const QRectF area = textRect();
    const QString text = QString::fromStdString(box_.text);
    if (isFrame()) {  // its title is readable from afar
        texts_ = {lineIn(area, text, look_.strongFont, look_.text, Qt::AlignLeft),
                  lineIn(area, text, look_.largeStrongFont, look_.text, Qt::AlignLeft)};
        return;
    }
    const bool isEmpty = text.isEmpty();
    texts_ =
        linesIn(area,
                isEmpty ? QCoreApplication::translate("NoteItem", "Double-click to write") : text,
                look_.bodyFont,
                isEmpty ? look_.muted : look_.text,
                std::max(1, static_cast<int>(area.height() / kNoteLine)),
                kNoteLine);
}

void BoxItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
    const QRectF rect = localRect();
    const QColor ground = look_.ground(isFrame() || !box_.colour.empty() ? box_.colour : "amber");
    const QColor edge = mixed(ground, look_.text, isFrame() ? 0.2 : 0.15);
    const double radius = isFrame() ? kFrameRadius : kNoteRadius;
    const double zoom = painter->worldTransform().m11();
    painter->setRenderHint(QPainter::Antialiasing);
    QPen pen(isSelected() ? look_.selected : edge, isSelected() ? 2 : 1);
    pen.setCosmetic(zoom < kTextZoom);
    painter->setPen(pen);
    painter->setBrush(isFrame() && !box_.isCollapsed ? mixed(look_.canvas, ground, kGround)
                                                     : ground);
    painter->drawRoundedRect(rect, radius, radius);
    if (isFrame()) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(ground);
        painter->drawRoundedRect(
            QRectF(1, 1, rect.width() - 2, kTitleHeight - 2), radius - 1, radius - 1);
    }
    if (zoom >= kTextZoom) {
        paintTexts(*painter, zoom);
    } else if (isFrame()) {
        const QSizeF titled(rect.width(), kTitleHeight);
        const QString title = QString::fromStdString(box_.text);
        paintUnscaled(*painter, farTitle_.at(zoom, title, titled, look_).face);
    }
}

/// And the marks by which a user folds and resizes it.
void BoxItem::paintTexts(QPainter& painter, double zoom) const {
    if (isFrame()) {
        look_.icon(box_.isCollapsed ? "chevron-right" : "chevron-down", "text.muted")
            .paint(&painter, QRect(8, 8, 16, 16));
        ui::paint(painter, std::span(texts_).subspan(zoom < kLargeTextZoom ? 1 : 0, 1));
    } else {
        ui::paint(painter, texts_);
    }
    if (size_ == BoxSize::OfGroup || (isFrame() && box_.isCollapsed)) {
        return;
    }
    const QPointF corner = localRect().bottomRight();
    painter.setPen(QPen(look_.muted, 1.25, Qt::SolidLine, Qt::RoundCap));
    for (const double step : {5.0, 9.0}) {
        painter.drawLine(corner - QPointF(step, 3), corner - QPointF(3, step));
    }
}

}  // namespace lowtide::ui
