// GraphView's ways to add a node.
#include "ui/canvas/graph_view_parts.hpp"

#include <cmath>

namespace lowtide::ui {

namespace {

constexpr int kBelow = 8;
constexpr double kPortDepth = node_measures::kHeader + 16;  ///< of a node's first port

}  // namespace

void GraphView::Parts::openSearch(const PointerAt& at, const std::optional<LooseWire>& wire) {
    addAt = at.scene;
    looseWire = wire;
    search.openAt(view.viewport()->mapTo(&view, at.viewport),
                  wire ? wire->wanted : PortWanted{.type = {}});
    view.viewport()->update();
}

void GraphView::openSearch() {
    parts_->openSearch(parts_->pointerAt(parts_->pointerOrMiddle(), {}), std::nullopt);
}

void GraphView::wireSelected() {
    const NodeIds ids = selectedNodes();
    if (ids.size() != 1) {
        parts_->tip.say(tr("Select the one node to wire."), parts_->pointerOrMiddle());
        return;
    }
    reveal(*ids.begin());
    const QRectF body = parts_->scene.node(*ids.begin())->bodyInScene();
    const QPoint beside = mapFromScene(body.bottomLeft()) + QPoint(0, kBelow);
    parts_->wiring.openAt(viewport()->mapTo(this, beside), *ids.begin());
}

void GraphView::Parts::paintOfferedWire(QPainter& painter) const {
    const std::optional<WireChoice> wire = wiring.current();
    const NodeItem* from = wire ? scene.node(wire->from.node) : nullptr;
    const NodeItem* to = wire ? scene.node(wire->to.node) : nullptr;
    if (from != nullptr && to != nullptr) {
        paintTentativeWire(painter,
                           from->outputInScene(wire->from.port),
                           to->inputInScene(wire->to.port),
                           scene.look().wire(wire->type).colour);
    }
}

void GraphView::Parts::add(const std::string& type, const std::string& port) {
    const NodeDesc* desc = model.catalog().find(type);
    if (desc == nullptr) {
        return;
    }
    const std::optional<LooseWire> wire = looseWire;
    QPointF place = addAt;
    if (wire) {  // the port that takes the wire comes to lie where the wire was let go
        place -= QPointF(wire->isOutput ? 0 : node_measures::kWidth, kPortDepth);
    }
    if (isSnapping) {
        place = {std::round(place.x() / kGrid) * kGrid, std::round(place.y() / kGrid) * kGrid};
    }
    std::string id;
    model.apply(GraphView::tr("Add %1").arg(QString::fromStdString(desc->label)),
                [&](graph::Document& document) {
                    id = addNode(document, *desc, {place.x(), place.y()});
                    if (defaults != nullptr) {
                        defaults->applyTo(document.nodes.at(id), *desc);
                    }
                    if (wire && wire->isOutput) {
                        ui::connect(document, wire->port, {id, port});
                    } else if (wire) {
                        ui::connect(document, {id, port}, wire->port);
                    }
                });
    scene.select({id});
}

void GraphView::Parts::paintLooseWire(QPainter& painter) const {
    const NodeItem* item = looseWire ? scene.node(looseWire->port.node) : nullptr;
    if (item == nullptr) {
        return;
    }
    const QPointF held = looseWire->isOutput ? item->outputInScene(looseWire->port.port)
                                             : item->inputInScene(looseWire->port.port);
    paintTentativeWire(painter,
                       looseWire->isOutput ? held : addAt,
                       looseWire->isOutput ? addAt : held,
                       scene.look().wire(looseWire->wanted.type).colour);
}

}  // namespace lowtide::ui
