#include "ui/canvas/wire_layer.hpp"

#include "ui/canvas/node_painter.hpp"

#include <QStyleOptionGraphicsItem>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace lowtide::ui {

namespace {

constexpr double kClearance = 16;  ///< between a detour and the nodes that it avoids
constexpr double kTrackGap = 7;    ///< between detours
constexpr double kLeastBend = 20;
constexpr double kMostBend = 140;
constexpr double kMostDetour = 900;
constexpr int kPieces = 16;
constexpr int kTries = 6;

void bendTo(QPainterPath& path, QPointF to) {
    const QPointF from = path.currentPosition();
    const double dx = to.x() - from.x();
    const double dy = std::abs(to.y() - from.y());
    double bend = std::clamp(std::abs(dx) / 2, kLeastBend, kMostBend);
    if (dx < kLeastBend) {  // backwards: a loop wide enough to be seen
        bend = std::clamp(std::abs(dx) / 3 + dy / 4, 2 * kLeastBend, kMostBend);
    }
    path.cubicTo(from + QPointF(bend, 0), to - QPointF(bend, 0), to);
}

QPainterPath through(QPointF from, QPointF to, const std::vector<QPointF>& via) {
    QPainterPath path(from);
    for (const QPointF& point : via) {
        bendTo(path, point);
    }
    bendTo(path, to);
    return path;
}

QPointF onCurve(QPointF a, QPointF b, QPointF c, QPointF d, double t) {
    const double u = 1 - t;
    return a * (u * u * u) + b * (3 * u * u * t) + c * (3 * u * t * t) + d * (t * t * t);
}

std::vector<QPointF> piecesOf(const QPainterPath& path) {
    std::vector<QPointF> points;
    for (int i = 0; i < path.elementCount(); ++i) {
        const QPainterPath::Element element = path.elementAt(i);
        if (element.type == QPainterPath::CurveToElement) {
            const QPointF start = points.back();
            for (int piece = 1; piece <= kPieces; ++piece) {
                points.push_back(onCurve(start,
                                         element,
                                         path.elementAt(i + 1),
                                         path.elementAt(i + 2),
                                         static_cast<double>(piece) / kPieces));
            }
            i += 2;
        } else {
            points.push_back(element);
        }
    }
    return points;
}

/// Whether the straight piece touches the rectangle (Liang and Barsky's clipping).
bool crosses(const QRectF& rect, QPointF a, QPointF b) {
    double enter = 0, leave = 1;
    const auto clip = [&](double along, double distance) {
        if (along == 0) {
            return distance >= 0;
        }
        const double t = distance / along;
        (along < 0 ? enter : leave) = along < 0 ? std::max(enter, t) : std::min(leave, t);
        return enter <= leave;
    };
    const double dx = b.x() - a.x(), dy = b.y() - a.y();
    return clip(-dx, a.x() - rect.left()) && clip(dx, rect.right() - a.x()) &&
           clip(-dy, a.y() - rect.top()) && clip(dy, rect.bottom() - a.y());
}

/// Joins what the line runs behind to `blocked`; false: nothing new.
bool addCrossed(const std::vector<QPointF>& points,
                const std::vector<QRectF>& obstacles,
                QRectF& blocked) {
    bool isNew = false;
    for (const QRectF& obstacle : obstacles) {
        const QRectF rect = obstacle.adjusted(-2, -2, 2, 2);
        if (blocked.contains(obstacle)) {
            continue;
        }
        for (size_t i = 1; i < points.size(); ++i) {
            if (crosses(rect, points[i - 1], points[i])) {
                blocked |= obstacle;
                isNew = true;
                break;
            }
        }
    }
    return isNew;
}

struct Detour {
    QPainterPath path;
    double length = std::numeric_limits<double>::max();
};

/// A way along a horizontal line above or below everything in the way.
Detour detour(QPointF from,
              QPointF to,
              QRectF blocked,
              const std::vector<QRectF>& obstacles,
              double trackOffset,
              bool isAbove) {
    for (int i = 0; i < kTries; ++i) {
        const double y = isAbove ? blocked.top() - kClearance - trackOffset
                                 : blocked.bottom() + kClearance + trackOffset;
        const double begin = std::max(from.x() + kLeastBend, blocked.left() - kClearance / 2);
        const double end = std::min(to.x() - kLeastBend, blocked.right() + kClearance / 2);
        const double length = std::abs(y - from.y()) + std::abs(y - to.y());
        if (end <= begin || length > kMostDetour) {
            return {};
        }
        QPainterPath path(from);
        bendTo(path, {begin, y});
        path.lineTo(end, y);
        bendTo(path, to);
        if (!addCrossed(piecesOf(path), obstacles, blocked)) {
            return {path, length};
        }
    }
    return {};
}

WirePath finished(QPainterPath curve, bool isDetour) {
    WirePath wire{.curve = std::move(curve), .isDetour = isDetour};
    wire.points = piecesOf(wire.curve);
    wire.bounds = wire.curve.boundingRect();
    return wire;
}

double distanceToPiece(QPointF a, QPointF b, QPointF point) {
    const QPointF along = b - a;
    const double length2 = QPointF::dotProduct(along, along);
    const double t =
        length2 > 0 ? std::clamp(QPointF::dotProduct(point - a, along) / length2, 0.0, 1.0) : 0;
    const QPointF away = a + along * t - point;
    return std::hypot(away.x(), away.y());
}

constexpr double kStronger = 1;  ///< a wire that stands out is wider by so much
constexpr double kCasing = 2.5;  ///< of canvas colour on both sides, so that crossings are read
constexpr double kFaint = 0.35;
constexpr double kDimmed = 0.25;
constexpr double kDimmedHighContrast = 0.7;  ///< still seen, 3 to 1
constexpr double kReroute = 4;
constexpr double kWireMargin = 8;
constexpr double kSmoothZoom = 0.28;

QRectF reachOf(const Wire& wire) {
    return wire.path.bounds.adjusted(-kWireMargin, -kWireMargin, kWireMargin, kWireMargin);
}

}  // namespace

WirePath wirePath(QPointF from,
                  QPointF to,
                  const std::vector<QPointF>& via,
                  const std::vector<QRectF>& obstacles,
                  int track) {
    WirePath direct = finished(through(from, to, via), false);
    QRectF blocked;
    if (!via.empty() || !addCrossed(direct.points, obstacles, blocked)) {
        return direct;
    }
    const double offset = kTrackGap * track;
    const Detour above = detour(from, to, blocked, obstacles, offset, true);
    const Detour below = detour(from, to, blocked, obstacles, offset, false);
    if (above.path.isEmpty() && below.path.isEmpty()) {
        return direct;
    }
    return finished(above.length <= below.length ? above.path : below.path, true);
}

double distanceTo(const WirePath& path, QPointF point) {
    double least = std::numeric_limits<double>::max();
    for (size_t i = 1; i < path.points.size(); ++i) {
        least = std::min(least, distanceToPiece(path.points[i - 1], path.points[i], point));
    }
    return least;
}

size_t positionOnWire(QPointF from, QPointF to, const std::vector<QPointF>& via, QPointF point) {
    size_t best = 0;
    double least = std::numeric_limits<double>::max();
    for (size_t i = 0; i <= via.size(); ++i) {
        const WirePath part =
            finished(through(i == 0 ? from : via[i - 1], i == via.size() ? to : via[i], {}), false);
        if (const double distance = distanceTo(part, point); distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

WireLayer::WireLayer(const Look& look) : look_(look) {
    setFlag(ItemUsesExtendedStyleOption);  // gives the exposed part
    setZValue(0);
}

void WireLayer::setWires(std::vector<Wire> wires) {
    prepareGeometryChange();
    wires_ = std::move(wires);
    emphasised_.clear();
    bySource_.resize(wires_.size());
    std::iota(bySource_.begin(), bySource_.end(), size_t{0});
    std::stable_sort(bySource_.begin(), bySource_.end(), [this](size_t a, size_t b) {
        return wires_[a].from < wires_[b].from;
    });
    bounds_ = {};
    for (const Wire& wire : wires_) {
        bounds_ |= reachOf(wire);
    }
    update();
}

void WireLayer::replace(size_t index, Wire wire) {
    const QRectF old = reachOf(wires_[index]);
    const QRectF now = reachOf(wire);
    if (!bounds_.contains(now)) {
        prepareGeometryChange();
        bounds_ |= now;
    }
    wires_[index] = std::move(wire);
    update(old | now);
}

const Wire* WireLayer::into(const graph::PortRef& to) const {
    const auto found = std::find_if(
        wires_.begin(), wires_.end(), [&to](const Wire& wire) { return wire.to == to; });
    return found == wires_.end() ? nullptr : &*found;
}

std::optional<size_t> WireLayer::wireAt(QPointF point, double reach) const {
    std::optional<size_t> best;
    double least = reach;
    for (size_t i = 0; i < wires_.size(); ++i) {
        const Wire& wire = wires_[i];
        if (wire.isHidden ||
            !wire.path.bounds.adjusted(-reach, -reach, reach, reach).contains(point)) {
            continue;
        }
        if (const double distance = distanceTo(wire.path, point); distance <= least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

void WireLayer::setEmphasised(std::set<size_t> wires) {
    if (wires != emphasised_) {
        emphasised_ = std::move(wires);
        update();
    }
}

void WireLayer::emphasisePort(const graph::PortRef& port, bool isOutput) {
    std::set<size_t> found;
    for (size_t i = 0; i < wires_.size(); ++i) {
        if ((isOutput ? wires_[i].from : wires_[i].to) == port) {
            found.insert(i);
        }
    }
    setEmphasised(std::move(found));
}

void paintTentativeWire(QPainter& painter,
                        QPointF from,
                        QPointF to,
                        const QColor& colour,
                        double width,
                        Qt::PenStyle style) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, width, style, Qt::FlatCap));
    painter.drawPath(wirePath(from, to, {}, {}, 0).curve);
}

void WireLayer::setLifted(const std::optional<graph::PortRef>& to) {
    lifted_ = to;
    update();
}

WireLayer::Stroke WireLayer::strokeOf(size_t index) const {
    const bool stands = emphasised_.contains(index);
    const bool isDimmed = !emphasised_.empty() && !stands;
    const double least = look_.isHighContrast ? kDimmedHighContrast : 0;
    const double opacity = std::max(least,
                                    isDimmed                ? kDimmed
                                    : wires_[index].isFaint ? kFaint
                                                            : 1.0);
    return {.colour = faded(look_.wire(wires_[index].type).colour, opacity),
            .width = look_.wireWidth + (stands ? kStronger : 0),
            .isDimmed = isDimmed};
}

void WireLayer::paintFar(QPainter& painter, const std::vector<size_t>& shown, double zoom) const {
    painter.setRenderHint(QPainter::Antialiasing, zoom >= kSmoothZoom);
    painter.setBrush(Qt::NoBrush);
    for (const size_t index : shown) {
        const Stroke stroke = strokeOf(index);
        QPen pen(stroke.colour, stroke.width > look_.wireWidth ? look_.wireWidth : 1);
        pen.setCosmetic(true);
        painter.setPen(pen);
        const std::vector<QPointF>& points = wires_[index].path.points;
        painter.drawPolyline(points.data(), static_cast<int>(points.size()));
    }
}

void WireLayer::paintLine(QPainter& painter, size_t index) const {
    const Wire& wire = wires_[index];
    const Stroke stroke = strokeOf(index);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(stroke.colour,
                        stroke.width,
                        wire.isFaint ? Qt::DashLine : Qt::SolidLine,
                        wire.isFaint ? Qt::FlatCap : Qt::RoundCap));
    painter.drawPath(wire.path.curve);
    painter.setPen(QPen(look_.canvas, 1.5));
    painter.setBrush(stroke.colour);
    for (const QPointF& point : wire.via) {
        painter.drawEllipse(point, kReroute, kReroute);
    }
}

/// The casings of one source first: its wires branch and do not cut each other.
void WireLayer::paintNear(QPainter& painter, const std::vector<size_t>& shown) const {
    painter.setRenderHint(QPainter::Antialiasing);
    for (size_t begin = 0, end = 0; begin < shown.size(); begin = end) {
        painter.setBrush(Qt::NoBrush);
        for (end = begin;
             end < shown.size() && wires_[shown[end]].from == wires_[shown[begin]].from;
             ++end) {
            const Stroke stroke = strokeOf(shown[end]);
            if (!stroke.isDimmed) {
                painter.setPen(
                    QPen(look_.canvas, stroke.width + 2 * kCasing, Qt::SolidLine, Qt::FlatCap));
                painter.drawPath(wires_[shown[end]].path.curve);
            }
        }
        for (size_t i = begin; i < end; ++i) {
            paintLine(painter, shown[i]);
        }
    }
}

void WireLayer::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*) {
    const double zoom = painter->worldTransform().m11();
    std::vector<size_t> below, above;  // what stands out comes last
    for (const size_t index : bySource_) {
        const Wire& wire = wires_[index];
        const bool isLifted = lifted_ && wire.to == *lifted_;
        if (!wire.isHidden && !isLifted && reachOf(wire).intersects(option->exposedRect)) {
            (emphasised_.contains(index) ? above : below).push_back(index);
        }
    }
    for (const std::vector<size_t>* shown : {&below, &above}) {
        if (zoom < kTextZoom) {
            paintFar(*painter, *shown, zoom);
        } else {
            paintNear(*painter, *shown);
        }
    }
}

}  // namespace lowtide::ui
