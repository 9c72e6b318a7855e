#include "ui/canvas/wire_layer.hpp"

#include "ui/canvas/node_painter.hpp"

#include <QStyleOptionGraphicsItem>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr double kWidth = 2;
constexpr double kStrongWidth = 3;
constexpr double kCasing = 2.5;  ///< of canvas colour on both sides, so that crossings are read
constexpr double kFaint = 0.35;
constexpr double kDimmed = 0.25;
constexpr double kReroute = 4;
constexpr double kMargin = 8;
constexpr double kSmoothZoom = 0.16;

QRectF reachOf(const Wire& wire) {
    return wire.path.bounds.adjusted(-kMargin, -kMargin, kMargin, kMargin);
}

}  // namespace

WireLayer::WireLayer(const Look& look) : look_(look) {
    setFlag(ItemUsesExtendedStyleOption);  // tells which part is exposed
    setZValue(0);
}

void WireLayer::setWires(std::vector<Wire> wires) {
    prepareGeometryChange();
    wires_ = std::move(wires);
    emphasised_.clear();
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

void WireLayer::setLifted(const std::optional<graph::PortRef>& to) {
    lifted_ = to;
    update();
}

void WireLayer::paintWire(QPainter& painter, const Wire& wire, bool stands, double zoom) const {
    const bool isDimmed = !emphasised_.empty() && !stands;
    const QColor colour = faded(look_.wire(wire.type).colour,
                                isDimmed       ? kDimmed
                                : wire.isFaint ? kFaint
                                               : 1.0);
    painter.setBrush(Qt::NoBrush);
    if (zoom < kTextZoom) {
        QPen pen(colour, stands ? kWidth : 1);
        pen.setCosmetic(true);
        painter.setPen(pen);
        painter.setRenderHint(QPainter::Antialiasing, zoom >= kSmoothZoom);
        painter.drawPolyline(wire.path.points.data(), static_cast<int>(wire.path.points.size()));
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    const double width = stands ? kStrongWidth : kWidth;
    if (!isDimmed) {
        painter.setPen(QPen(look_.canvas, width + 2 * kCasing, Qt::SolidLine, Qt::FlatCap));
        painter.drawPath(wire.path.curve);
    }
    painter.setPen(QPen(colour,
                        width,
                        wire.isFaint ? Qt::DashLine : Qt::SolidLine,
                        wire.isFaint ? Qt::FlatCap : Qt::RoundCap));
    painter.drawPath(wire.path.curve);
    painter.setPen(QPen(look_.canvas, 1.5));
    painter.setBrush(colour);
    for (const QPointF& point : wire.via) {
        painter.drawEllipse(point, kReroute, kReroute);
    }
}

void WireLayer::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*) {
    const double zoom = painter->worldTransform().m11();
    const QRectF exposed = option->exposedRect;
    for (const bool stands : {false, true}) {
        for (size_t i = 0; i < wires_.size(); ++i) {
            const Wire& wire = wires_[i];
            const bool isLifted = lifted_ && wire.to == *lifted_;
            if (!wire.isHidden && !isLifted && emphasised_.contains(i) == stands &&
                reachOf(wire).intersects(exposed)) {
                paintWire(*painter, wire, stands, zoom);
            }
        }
        if (emphasised_.empty()) {
            return;
        }
    }
}

}  // namespace lowtide::ui
