// What part of the graph is seen: zoom and scrolling, bookmarks, the ways back and on again, the
// minimap.
#include "ui/canvas/viewport.hpp"

#include "ui/canvas/graph_view.hpp"

#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

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
    const ViewState view = from.back();
    from.pop_back();
    to.push_back(now);
    return view;
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
constexpr double kFaintMap = 0.15;

constexpr double kLeastZoom = 0.05;
constexpr double kMostZoom = 4;
constexpr double kNotch = 1.2;     ///< factor of one notch of a wheel
constexpr double kFitPixels = 48;  ///< free around what is fitted
constexpr double kFitLeast = 12;   ///< the same where texts would else become small
constexpr double kRevealMargin = 48;

}  // namespace

Minimap::Minimap(QGraphicsView& view, GraphScene& scene)
    : QWidget(&view), view_(view), scene_(scene) {
    setObjectName(QStringLiteral("minimap"));
    setCursor(Qt::ArrowCursor);
    setToolTip(tr("The whole graph; drag to move the view"));
    setAccessibleName(tr("Map of the graph"));
    hide();
    connect(&scene, &GraphScene::arranged, this, &Minimap::forget);
    connect(&scene, &QGraphicsScene::selectionChanged, this, &Minimap::giveWay);
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
    giveWay();
}

bool Minimap::isInTheWay() const {
    const QRectF below = view_.viewportTransform().inverted().mapRect(
        QRectF(geometry().translated(-view_.viewport()->pos())));
    const NodeItem* selected = scene_.onlySelected();
    const std::vector<NodeItem*> nodes = scene_.shownNodes();
    return std::any_of(nodes.begin(), nodes.end(), [&](const NodeItem* node) {
        const QRectF image = node->layout().nodeImage.translated(node->pos());
        return below.intersects(node == selected ? node->bodyInScene() : image);
    });
}

void Minimap::giveWay() {
    const bool isFaint = !isHeld_ && isInTheWay();
    if (isFaint != isFaint_) {
        isFaint_ = isFaint;
        setAttribute(Qt::WA_TransparentForMouseEvents, isFaint);
        update();
    }
}

void Minimap::forget() {
    image_ = {};
    content_ = scene_.contentRect();
    showIfNeeded();
    giveWay();
    update();
}

void Minimap::viewMoved() {
    showIfNeeded();
    giveWay();
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
    painter.setOpacity(isFaint_ ? kFaintMap : 1);
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
        isHeld_ = true;
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
    isHeld_ = false;
    giveWay();
}

ViewNavigation::ViewNavigation(QGraphicsView& view, GraphScene& scene)
    : view_(view), scene_(scene), minimap_(view, scene) {
    connect(&scene.model(), &GraphModel::changed, this, [this](const Delta& delta) {
        if (delta.reset) {
            before_.clear();
            ahead_.clear();
        }
    });
}

QPointF ViewNavigation::middle() const {
    return QRectF(view_.viewport()->rect()).center();
}

/// Half of it at least: in a window that is as low as that, something has to lie behind.
QRect ViewNavigation::uncovered() const {
    const QRect area = view_.viewport()->rect();
    return area.adjusted(0, std::min(covered_, area.height() / 2), 0, 0);
}

void ViewNavigation::centreOn(QPointF scene) {
    view_.centerOn(scene - (QRectF(uncovered()).center() - middle()) / zoom());
}

void ViewNavigation::zoomAbout(QPointF viewport, double wanted) {
    showsAll_ = false;
    const double next = std::clamp(wanted, kLeastZoom, kMostZoom);
    if (next == zoom()) {
        return;
    }
    const QPointF fixed = view_.viewportTransform().inverted().map(viewport);
    view_.setTransform(QTransform::fromScale(next, next));
    const QPointF away = view_.viewportTransform().map(fixed) - viewport;
    pan(QPoint(-static_cast<int>(std::round(away.x())), -static_cast<int>(std::round(away.y()))));
    minimap_.viewMoved();
    Q_EMIT zoomChanged(next * 100);
}

void ViewNavigation::zoomBy(double notches, QPointF viewport) {
    zoomAbout(viewport, zoom() * std::pow(kNotch, notches));
}

void ViewNavigation::zoomIn() {
    zoomAbout(middle(), zoom() * kNotch);
}

void ViewNavigation::zoomOut() {
    zoomAbout(middle(), zoom() / kNotch);
}

void ViewNavigation::pan(QPoint by) {
    showsAll_ = false;
    view_.horizontalScrollBar()->setValue(view_.horizontalScrollBar()->value() - by.x());
    view_.verticalScrollBar()->setValue(view_.verticalScrollBar()->value() - by.y());
}

void ViewNavigation::fit(const QRectF& rect) {
    if (rect.isEmpty()) {
        return;
    }
    const QSizeF area = uncovered().size();
    const auto zoomWith = [&](double margin) {
        return std::min((area.width() - 2 * margin) / rect.width(),
                        (area.height() - 2 * margin) / rect.height());
    };
    const double tight = std::min(zoomWith(kFitLeast), kLargeTextZoom);
    const double wanted = std::clamp(std::max(zoomWith(kFitPixels), tight), kLeastZoom, 1.0);
    zoomAbout(middle(), wanted);
    centreOn(rect.center());
    minimap_.viewMoved();
}

void ViewNavigation::setCovered(int top) {
    covered_ = top;
}

void ViewNavigation::fitAll() {
    fit(scene_.contentRect());
    showsAll_ = true;
}

void ViewNavigation::fitAgain() {
    if (showsAll_) {
        fitAll();
    }
}

void ViewNavigation::resized() {
    fitAgain();
    minimap_.reposition();
}

ViewState ViewNavigation::state() const {
    const QPointF centre = view_.viewportTransform().inverted().map(
        QPointF(view_.viewport()->width(), view_.viewport()->height()) / 2);
    return {{centre.x(), centre.y()}, zoom()};
}

void ViewNavigation::show(const ViewState& state) {
    zoomAbout(middle(), state.zoom);
    showsAll_ = false;
    view_.centerOn(state.centre.x, state.centre.y);
}

void ViewNavigation::leave() {
    ahead_.clear();
    if (before_.empty() || !isSame(before_.back(), state())) {
        before_.push_back(state());
    }
    if (before_.size() > kMostStates) {
        before_.erase(before_.begin());
    }
}

void ViewNavigation::jumpToActual() {
    leave();
    zoomAbout(middle(), 1);
}

void ViewNavigation::jumpToAll() {
    leave();
    fitAll();
}

void ViewNavigation::jumpTo(const QRectF& rect) {
    leave();
    fit(rect.isEmpty() ? scene_.contentRect() : rect);
}

void ViewNavigation::reveal(const QRectF& body) {
    showsAll_ = false;
    const QRectF seen = view_.mapToScene(uncovered()).boundingRect();
    const double margin = kRevealMargin / zoom();
    if (zoom() < kTextZoom) {
        jumpToActual();
        centreOn(body.center());
    } else if (!seen.adjusted(margin, margin, -margin, -margin).contains(body)) {
        leave();
        centreOn(body.center());
    }
    minimap_.viewMoved();
}

/// A step of the graph, as in Gaffer: a bookmark is kept in the file with the graph whose parts it
/// shows, and one that was overwritten by mistake comes back with undo.
void ViewNavigation::keepBookmark(int number) {
    scene_.model().apply(
        GraphView::tr("Keep bookmark %1").arg(number),
        [&](graph::Document& document) { setBookmark(document, number, state()); });
}

bool ViewNavigation::jumpToBookmark(int number) {
    const std::optional<ViewState> kept = bookmarkOf(scene_.model().document(), number);
    if (kept) {
        leave();
        show(*kept);
    }
    return kept.has_value();
}

void ViewNavigation::goBack() {
    if (const auto earlier = moved(before_, ahead_, state())) {
        show(*earlier);
    }
}

void ViewNavigation::goForward() {
    if (const auto later = moved(ahead_, before_, state())) {
        show(*later);
    }
}

}  // namespace lowtide::ui
