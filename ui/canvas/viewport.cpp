// What part of the graph is seen: zoom and scrolling, bookmarks, the ways back and on again, the
// minimap.
#include "ui/canvas/viewport.hpp"

#include "ui/canvas/graph_view_parts.hpp"

#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr size_t kMostStates = 64;

/// Scroll bars stand on whole pixels, so the same position comes back slightly shifted.
bool isSame(const ViewState& a, const ViewState& b) {
    const double away = std::hypot(a.centre.x - b.centre.x, a.centre.y - b.centre.y);
    return a.zoom == b.zoom && away * a.zoom < 2;
}

/// The last of `from` that is another view than `now`, which is kept in `to`.
std::optional<ViewState> moved(std::vector<ViewState>& from,
                               std::vector<ViewState>& to,
                               const ViewState& now) {
    while (!from.empty() && isSame(from.back(), now)) {
        from.pop_back();
    }
    if (from.empty()) {
        return std::nullopt;
    }
    const ViewState position = from.back();
    from.pop_back();
    to.push_back(now);
    return position;
}

constexpr int kLeastMapWidth = 112;
constexpr int kMostMapWidth = 176;
constexpr double kFraction = 0.15;  ///< of the view's width
constexpr double kAspect = 0.66;
constexpr double kOverhang = 2;  ///< pixels that may lie out of view
constexpr int kMapMargin = 12;
constexpr double kMapInner = 8;
constexpr double kLeastSpan = 400;
constexpr double kLeastMark = 1.5;

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

void ViewHistory::leave(const ViewState& now) {
    ahead_.clear();
    if (before_.empty() || !isSame(before_.back(), now)) {
        before_.push_back(now);
    }
    if (before_.size() > kMostStates) {
        before_.erase(before_.begin());
    }
}

std::optional<ViewState> ViewHistory::back(const ViewState& now) {
    return moved(before_, ahead_, now);
}

std::optional<ViewState> ViewHistory::forward(const ViewState& now) {
    return moved(ahead_, before_, now);
}

void ViewHistory::clear() {
    before_.clear();
    ahead_.clear();
}

Minimap::Minimap(QGraphicsView& view, GraphScene& scene)
    : QWidget(&view), view_(view), scene_(scene) {
    setObjectName(QStringLiteral("minimap"));
    setCursor(Qt::ArrowCursor);
    setToolTip(tr("The whole graph; drag to move the view"));
    setAccessibleName(tr("Map of the graph"));
    hide();
    connect(&scene, &GraphScene::arranged, this, &Minimap::forget);
    forget();
}

QString Minimap::spokenText() const {
    const QRectF seen = view_.mapToScene(view_.viewport()->rect()).boundingRect() & content_;
    const double whole = content_.width() * content_.height();
    return whole > 0 ? tr("%1 % of the graph is in view")
                           .arg(std::lround(100 * seen.width() * seen.height() / whole))
                     : tr("The graph is empty.");
}

void Minimap::reposition() {
    const QRect area = view_.viewport()->geometry();
    const int wide = std::clamp(
        static_cast<int>(std::round(area.width() * kFraction)), kLeastMapWidth, kMostMapWidth);
    if (wide != width()) {
        resize(wide, static_cast<int>(std::round(wide * kAspect)));
        image_ = {};
    }
    showIfNeeded();
    move(area.right() + 1 - width() - kMapMargin, area.bottom() + 1 - height() - kMapMargin);
}

void Minimap::forget() {
    image_ = {};
    content_ = scene_.contentRect();
    showIfNeeded();
    update();
}

void Minimap::viewMoved() {
    showIfNeeded();
    update();
}

void Minimap::ask(bool isWanted) {
    asked_ = isWanted;
    showIfNeeded();
}

bool Minimap::isNeeded() const {
    const double spare = kOverhang / view_.transform().m11();
    const QRectF seen =
        view_.viewportTransform().inverted().mapRect(QRectF(view_.viewport()->rect()));
    return !content_.isNull() && !seen.adjusted(-spare, -spare, spare, spare).contains(content_);
}

void Minimap::showIfNeeded() {
    const bool isShown = asked_.value_or(isNeeded());
    if (isShown == isHidden()) {
        setVisible(isShown);
        Q_EMIT shownChanged(isShown);
    }
}

/// Shows content and view together, so that neither is lost from sight.
QTransform Minimap::toMap() const {
    QRectF span = content_;
    const double grow = std::max({0.0, kLeastSpan - span.width(), kLeastSpan - span.height()}) / 2;
    span.adjust(-grow, -grow, grow, grow);
    const double scale = std::min((width() - 2 * kMapInner) / span.width(),
                                  (height() - 2 * kMapInner) / span.height());
    QTransform transform;
    transform.translate(width() / 2.0, height() / 2.0);
    transform.scale(scale, scale);
    transform.translate(-span.center().x(), -span.center().y());
    return transform;
}

QPointF Minimap::mapFromScene(QPointF point) const {
    return toMap().map(point);
}

void Minimap::paintGraph(QPainter& painter) const {
    const Look& look = scene_.look();
    const QTransform map = toMap();
    painter.setPen(Qt::NoPen);
    for (const BoxItem* box : scene_.boxes()) {
        painter.fillRect(map.mapRect(box->shownRect()), look.ground(box->box().colour));
    }
    for (const NodeItem* node : scene_.shownNodes()) {
        QRectF rect = map.mapRect(node->bodyInScene());
        rect.setSize(rect.size().expandedTo({kLeastMark, kLeastMark}));
        const NodeFace& face = node->face();
        const auto& ports = face.outputs.empty() ? face.inputs : face.outputs;
        const QColor colour =
            ports.empty() ? look.muted : mixed(look.muted, look.wire(ports[0].type).colour, 0.6);
        painter.fillRect(rect, faded(colour, 0.8));
    }
}

void Minimap::paintEvent(QPaintEvent*) {
    const Look& look = scene_.look();
    if (image_.isNull() || image_.devicePixelRatio() != devicePixelRatioF()) {
        image_ = QPixmap(size() * devicePixelRatioF());
        image_.setDevicePixelRatio(devicePixelRatioF());
        image_.fill(Qt::transparent);
        QPainter painter(&image_);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(look.border, 1));
        painter.setBrush(faded(look.body, 0.92));
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
        paintGraph(painter);
    }
    QPainter painter(this);
    painter.drawPixmap(0, 0, image_);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(rect().adjusted(2, 2, -2, -2));
    const QRectF seen = toMap().mapRect(view_.mapToScene(view_.viewport()->rect()).boundingRect());
    painter.setPen(QPen(look.accent, 1.5));
    painter.setBrush(faded(look.accent, 0.08));
    painter.drawRoundedRect(seen.intersected(QRectF(rect()).adjusted(3, 3, -3, -3)), 2, 2);
}

void Minimap::centreOn(QPointF point) {
    view_.centerOn(toMap().inverted().map(point));
}

void Minimap::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        centreOn(event->position());
    }
}

void Minimap::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons().testFlag(Qt::LeftButton)) {
        centreOn(event->position());
    }
}

void Minimap::mouseReleaseEvent(QMouseEvent* event) {
    event->accept();  // the canvas below must not take it
}

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
    rows.reposition();
    texts.reposition();
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
    const QSizeF area = view.viewport()->size();
    const auto zoomWith = [&](double margin) {
        return std::min((area.width() - 2 * margin) / rect.width(),
                        (area.height() - 2 * margin) / rect.height());
    };
    const double tight = std::min(zoomWith(kFitLeast), kLargeTextZoom);
    const double wanted = std::clamp(std::max(zoomWith(kFitPixels), tight), kLeastZoom, 1.0);
    zoomAbout({area.width() / 2, area.height() / 2}, wanted);
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
    parts_->leaveSlot();
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
    parts_->leaveSlot();
    parts_->fit(rect.isEmpty() ? parts_->scene.contentRect() : rect);
}

void GraphView::Parts::fitAll() {
    fit(scene.contentRect());
    showsAll = true;
}

void GraphView::zoomToAll() {
    parts_->leaveSlot();
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

ViewState GraphView::Parts::viewState() const {
    const QPointF centre = view.viewportTransform().inverted().map(
        QPointF(view.viewport()->width(), view.viewport()->height()) / 2);
    return {{centre.x(), centre.y()}, zoom()};
}

void GraphView::Parts::show(const ViewState& state) {
    zoomAbout(QRectF(view.viewport()->rect()).center(), state.zoom);
    showsAll = false;
    view.centerOn(state.centre.x, state.centre.y);
}

void GraphView::Parts::leaveSlot() {
    history.leave(viewState());
}

ViewState GraphView::viewState() const {
    return parts_->viewState();
}

void GraphView::showState(const ViewState& state) {
    parts_->show(state);
}

/// A step of the graph, as in Gaffer: a bookmark is kept in the file with the graph whose parts it
/// shows, and one that was overwritten by mistake comes back with undo.
void GraphView::keepBookmark(int number) {
    parts_->model.apply(tr("Keep bookmark %1").arg(number), [&](graph::Document& document) {
        setBookmark(document, number, parts_->viewState());
    });
    parts_->tip.report(tr("This view is bookmark %1 now.").arg(number), parts_->pointerOrMiddle());
}

void GraphView::goToBookmark(int number) {
    const std::optional<ViewState> kept = bookmarkOf(parts_->model.document(), number);
    if (!kept) {
        parts_->tip.report(
            tr("Bookmark %1 is free; View, Keep as bookmark gives it a view.").arg(number),
            parts_->pointerOrMiddle());
        return;
    }
    parts_->leaveSlot();
    parts_->show(*kept);
}

void GraphView::goBack() {
    if (const auto earlier = parts_->history.back(parts_->viewState())) {
        parts_->show(*earlier);
    }
}

void GraphView::goForward() {
    if (const auto later = parts_->history.forward(parts_->viewState())) {
        parts_->show(*later);
    }
}

}  // namespace lowtide::ui
