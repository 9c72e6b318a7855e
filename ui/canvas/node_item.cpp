#include "ui/canvas/node_item.hpp"

#include <QStyleOptionGraphicsItem>

#include <cmath>

namespace lowtide::ui {

namespace {

constexpr double kNodeOutside = 12;  ///< ports, shadow and outline reach over the body

}  // namespace

NodeItem::NodeItem(const Look& look) : look_(look) {
    setFlag(ItemIsSelectable);
}

void NodeItem::setFace(NodeFace face) {
    face_ = std::move(face);
    layOut();
}

void NodeItem::setStatus(const NodeStatus& status) {
    const bool sameShape = status.picture.size() == status_.picture.size() &&
                           headerMarks(face_, status) == headerMarks(face_, status_);
    if (status.picture.cacheKey() != status_.picture.cacheKey()) {
        scaledPicture_ = {};
    }
    status_ = status;
    issues_ = issuesOf(status_.issues);
    if (sameShape) {
        texts_.footer = footerTexts(face_, status_, layout_, look_);
        if (largeTexts_) {  // the rest stays: progress comes often
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
                         status_.picture.size(),
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

/// Scaling anew for every frame is dear; a picture is scaled once for each zoom.
const QImage& NodeItem::pictureFor(double pixelsPerUnit) {
    const QSize wanted =
        (layout_.picture.size() * pixelsPerUnit).toSize().boundedTo(status_.picture.size());
    if (!wanted.isEmpty() && scaledPicture_.size() != wanted) {
        scaledPicture_ =
            status_.picture.scaled(wanted, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
                .convertToFormat(QImage::Format_ARGB32_Premultiplied);
    }
    return scaledPicture_;
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
               .picture = pictureFor(pixels),
               .hovered = hovered_,
               .marked = marked_,
               .isSelected = isSelected()},
              look_,
              zoom);
}

}  // namespace lowtide::ui
