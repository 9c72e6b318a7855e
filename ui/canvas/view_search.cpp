// GraphView's ways to add a node.
#include "ui/canvas/graph_view_parts.hpp"

#include <cmath>

namespace lowtide::ui {

namespace {

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
    painter.setBrush(Qt::NoBrush);
    painter.setPen(
        QPen(scene.look().wire(looseWire->wanted.type).colour, 2.5, Qt::DashLine, Qt::FlatCap));
    painter.drawPath(
        wirePath(looseWire->isOutput ? held : addAt, looseWire->isOutput ? addAt : held, {}, {}, 0)
            .curve);
}

}  // namespace lowtide::ui
