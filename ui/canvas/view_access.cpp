// GraphView for assistive technology and keys: what a pointer would do at one place.
#include "ui/access/announce.hpp"
#include "ui/canvas/graph_view_parts.hpp"

#include <QMenu>

namespace lowtide::ui {

namespace {

constexpr int kBelowPort = 8;

/// The title of the selected node, or of the first selected frame or note; empty: the canvas.
CanvasHit selectedHit(const GraphScene& scene) {
    CanvasHit hit;
    if (const NodeIds ids = scene.selectedNodes(); !ids.empty()) {
        hit.node = scene.node(*ids.begin());
        hit.part.part = NodePart::Header;
        return hit;
    }
    for (BoxItem* box : scene.boxes()) {
        if (box->isSelected()) {
            hit.box = box;
            hit.boxPart = BoxPart::Title;
            return hit;
        }
    }
    return hit;
}

}  // namespace

CanvasElements& GraphView::elements() {
    return *parts_->elements;
}

void GraphView::takeFocus() {
    setFocus(Qt::OtherFocusReason);
}

void GraphView::showMenu() {
    const CanvasHit hit = selectedHit(parts_->scene);
    const QRectF place = hit.node != nullptr  ? hit.node->bodyInScene()
                         : hit.box != nullptr ? hit.box->shownRect()
                                              : QRectF();
    const QPoint at = place.isNull()
                          ? viewport()->rect().center()
                          : mapFromScene(place.topLeft() + QPointF(0, node_measures::kHeader));
    canvasMenu(*this, parts_->scene, hit, parts_->defaults)->popup(viewport()->mapToGlobal(at));
}

void GraphView::editValue(const std::string& node, const std::string& param) {
    reveal(node, param);
    parts_->rows.begin(node, param);
}

void GraphView::wirePort(const graph::PortRef& port, bool isOutput) {
    reveal(port.node, port.port);
    const NodeItem* item = parts_->scene.node(port.node);
    if (item == nullptr) {
        return;
    }
    const QPointF end = isOutput ? item->outputInScene(port.port) : item->inputInScene(port.port);
    parts_->wiring.openAt(viewport()->mapTo(this, mapFromScene(end) + QPoint(0, kBelowPort)),
                          port.node,
                          OwnPort{port.port, isOutput});
}

void GraphView::removeWire(const graph::PortRef& to) {
    parts_->model.apply(tr("Delete"),
                        [&](graph::Document& document) { ui::disconnect(document, to); });
}

void GraphView::selectWire(const graph::PortRef& to) {
    const std::vector<Wire>& wires = parts_->scene.wires().wires();
    for (size_t index = 0; index < wires.size(); ++index) {
        if (wires[index].to == to) {
            parts_->scene.select({});
            parts_->selectedWire = to;
            parts_->scene.wires().setEmphasised({index});
            takeFocus();
            return;
        }
    }
}

void GraphView::selectBox(BoxKind kind, const std::string& id) {
    parts_->scene.select({});
    parts_->scene.selectBoxes(kind, {id});
}

void GraphView::toggleFrame(const std::string& id) {
    if (const BoxItem* frame = parts_->scene.box(BoxKind::Frame, id); frame != nullptr) {
        parts_->toggleBoxFold(*frame);
    }
}

}  // namespace lowtide::ui
