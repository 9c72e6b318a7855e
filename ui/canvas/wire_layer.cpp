#include "ui/canvas/wire_layer.hpp"

#include "ui/canvas/node_painter.hpp"

#include <QStyleOptionGraphicsItem>

#include <algorithm>
#include <numeric>

namespace lowtide::ui {

namespace {

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
    painter.drawPath(wirePath(from, to, {}, InTheWay(), 0).curve);
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
