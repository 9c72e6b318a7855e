// GraphView's zoom and scrolling.
#include "ui/canvas/graph_view_parts.hpp"

#include <QNativeGestureEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr double kLeastZoom = 0.05;
constexpr double kMostZoom = 4;
constexpr double kNotch = 1.2;  ///< factor of one notch of a wheel
constexpr double kNotchAngle = 120;
constexpr double kFitPixels = 48;  ///< free around what is fitted
constexpr double kFitLeast = 12;   ///< the same where texts would else become small

bool isTouchpad(const QWheelEvent& event) {
    return event.phase() != Qt::NoScrollPhase ||
           (event.device() != nullptr &&
            event.device()->type() == QInputDevice::DeviceType::TouchPad);
}

}  // namespace

void GraphView::Parts::zoomAbout(QPointF viewport, double wanted) {
    showsAll = false;
    const double next = std::clamp(wanted, kLeastZoom, kMostZoom);
    if (next == zoom()) {
        return;
    }
    const QPointF fixed = view.viewportTransform().inverted().map(viewport);
    view.setTransform(QTransform::fromScale(next, next));
    const QPointF away = view.viewportTransform().map(fixed) - viewport;
    pan(QPoint(-static_cast<int>(std::round(away.x())), -static_cast<int>(std::round(away.y()))));
    rows.place();
    texts.place();
    minimap.viewMoved();
    Q_EMIT view.zoomChanged(next * 100);
}

void GraphView::Parts::pan(QPoint by) {
    showsAll = false;
    view.horizontalScrollBar()->setValue(view.horizontalScrollBar()->value() - by.x());
    view.verticalScrollBar()->setValue(view.verticalScrollBar()->value() - by.y());
}

void GraphView::Parts::fit(const QRectF& rect) {
    if (rect.isEmpty()) {
        return;
    }
    const QSizeF room = view.viewport()->size();
    const auto zoomWith = [&](double margin) {
        return std::min((room.width() - 2 * margin) / rect.width(),
                        (room.height() - 2 * margin) / rect.height());
    };
    const double tight = std::min(zoomWith(kFitLeast), kLargeTextZoom);
    const double wanted = std::clamp(std::max(zoomWith(kFitPixels), tight), kLeastZoom, 1.0);
    zoomAbout({room.width() / 2, room.height() / 2}, wanted);
    view.centerOn(rect.center());
    minimap.viewMoved();
}

void GraphView::zoomIn() {
    parts_->zoomAbout(QRectF(viewport()->rect()).center(), parts_->zoom() * kNotch);
}

void GraphView::zoomOut() {
    parts_->zoomAbout(QRectF(viewport()->rect()).center(), parts_->zoom() / kNotch);
}

void GraphView::zoomToActual() {
    parts_->leavePlace();
    parts_->zoomAbout(QRectF(viewport()->rect()).center(), 1);
}

void GraphView::zoomToSelected() {
    QRectF rect;
    for (const std::string& id : selectedNodes()) {
        rect |= parts_->scene.node(id)->bodyInScene();
    }
    for (const BoxItem* box : parts_->scene.boxes()) {
        rect |= box->isSelected() ? box->shownRect() : QRectF();
    }
    parts_->leavePlace();
    parts_->fit(rect.isEmpty() ? parts_->scene.contentRect() : rect);
}

void GraphView::Parts::fitAll() {
    fit(scene.contentRect());
    showsAll = true;
}

void GraphView::zoomToAll() {
    parts_->leavePlace();
    parts_->fitAll();
}

void GraphView::wheelEvent(QWheelEvent* event) {
    event->accept();
    if (isTouchpad(*event) && !event->modifiers().testFlag(Qt::ControlModifier)) {
        parts_->pan(event->pixelDelta().isNull() ? event->angleDelta() / 2 : event->pixelDelta());
        return;
    }
    const double notches = event->angleDelta().y() / kNotchAngle;
    parts_->zoomAbout(event->position(), parts_->zoom() * std::pow(kNotch, notches));
}

bool GraphView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::NativeGesture) {
        const auto* pinch = static_cast<QNativeGestureEvent*>(event);
        if (pinch->gestureType() == Qt::ZoomNativeGesture) {
            parts_->zoomAbout(pinch->position(), parts_->zoom() * (1 + pinch->value()));
            return true;
        }
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const PointerAt at = parts_->pointerAt(help->pos(), {});
        const QString text = parts_->tipFor(hitAt(parts_->scene, at.scene, at.zoom));
        QToolTip::showText(help->globalPos(), text, viewport());
        return true;
    }
    if (event->type() == QEvent::Leave) {
        parts_->leave();
    }
    return QGraphicsView::viewportEvent(event);
}

}  // namespace lowtide::ui
