// GraphView's frames, notes and bends of wires.
#include "ui/canvas/graph_view_parts.hpp"

#include <cmath>

namespace lowtide::ui {

namespace {

constexpr double kFramePadding = 24;
constexpr double kFrameTitle = 48;  ///< title and room below it

Point roundedPoint(QPointF point) {
    return {std::round(point.x()), std::round(point.y())};
}

}  // namespace

void GraphView::frameSelected() {
    QRectF bounds;
    for (const std::string& id : selectedNodes()) {
        bounds |= parts_->scene.node(id)->bodyInScene();
    }
    if (bounds.isEmpty()) {
        return;
    }
    bounds.adjust(-kFramePadding, -kFrameTitle, kFramePadding, kFramePadding);
    std::string id;
    parts_->model.apply(tr("Frame"), [&](graph::Document& document) {
        id = putBox(document,
                    BoxKind::Frame,
                    {.text = tr("Frame").toStdString(),
                     .topLeft = roundedPoint(bounds.topLeft()),
                     .size = roundedPoint({bounds.width(), bounds.height()}),
                     .colour = "blue"});
    });
    parts_->texts.writeBox(BoxKind::Frame, id);
}

void GraphView::addNote() {
    const QPointF at = mapToScene(viewport()->rect().center());
    std::string id;
    parts_->model.apply(tr("Add note"), [&](graph::Document& document) {
        id = putBox(document, BoxKind::Note, {.topLeft = roundedPoint(at), .colour = "amber"});
    });
    parts_->texts.writeBox(BoxKind::Note, id);
}

void GraphView::renameSelected() {
    const NodeIds ids = selectedNodes();
    if (ids.size() == 1) {
        parts_->texts.renameNode(*ids.begin());
        return;
    }
    for (const BoxItem* box : parts_->scene.boxes()) {
        if (box->isSelected()) {
            parts_->texts.writeBox(box->kind(), box->box().id);
            return;
        }
    }
}

void GraphView::Parts::toggleBoxFold(const BoxItem& item) {
    ui::Box box = item.box();
    box.isCollapsed = !box.isCollapsed;
    const BoxKind kind = item.kind();
    model.apply(GraphView::tr("Collapse"),
                [&](graph::Document& document) { putBox(document, kind, box); });
}

void GraphView::Parts::toggleReroute(size_t index, int reroute, QPointF at) {
    const Wire wire = scene.wires().wires().at(index);
    std::vector<Point> points;
    for (const QPointF& point : wire.via) {
        points.push_back({point.x(), point.y()});
    }
    if (reroute >= 0) {
        points.erase(points.begin() + reroute);
    } else {
        const size_t place = placeOnWire(wire.start, wire.end, wire.via, at);
        points.insert(points.begin() + static_cast<std::ptrdiff_t>(place), roundedPoint(at));
    }
    model.apply(reroute >= 0 ? GraphView::tr("Straighten wire") : GraphView::tr("Bend wire"),
                [&](graph::Document& document) { setReroutes(document, wire.to, points); });
}

}  // namespace lowtide::ui
