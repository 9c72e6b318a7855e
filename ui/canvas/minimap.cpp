#include "ui/canvas/minimap.hpp"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr int kLeastMapWidth = 112;
constexpr int kMostMapWidth = 176;
constexpr double kShare = 0.15;  ///< of the view's width
constexpr double kAspect = 0.66;
constexpr double kOverhang = 2;  ///< pixels that may lie out of view
constexpr int kMapMargin = 12;
constexpr double kMapInner = 8;
constexpr double kLeastSpan = 400;
constexpr double kLeastMark = 1.5;

}  // namespace

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

void Minimap::place() {
    const QRect room = view_.viewport()->geometry();
    const int wide = std::clamp(
        static_cast<int>(std::round(room.width() * kShare)), kLeastMapWidth, kMostMapWidth);
    if (wide != width()) {
        resize(wide, static_cast<int>(std::round(wide * kAspect)));
        picture_ = {};
    }
    showIfNeeded();
    move(room.right() + 1 - width() - kMapMargin, room.bottom() + 1 - height() - kMapMargin);
}

void Minimap::forget() {
    picture_ = {};
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
    if (picture_.isNull() || picture_.devicePixelRatio() != devicePixelRatioF()) {
        picture_ = QPixmap(size() * devicePixelRatioF());
        picture_.setDevicePixelRatio(devicePixelRatioF());
        picture_.fill(Qt::transparent);
        QPainter painter(&picture_);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(look.border, 1));
        painter.setBrush(faded(look.body, 0.92));
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
        paintGraph(painter);
    }
    QPainter painter(this);
    painter.drawPixmap(0, 0, picture_);
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

}  // namespace lowtide::ui
