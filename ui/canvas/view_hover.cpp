// GraphView's pointer while no button is down: what is under it stands out and explains itself.
#include "ui/canvas/canvas_tips.hpp"
#include "ui/canvas/graph_view_parts.hpp"

namespace lowtide::ui {

namespace {

Qt::CursorShape cursorFor(const CanvasHit& hit) {
    switch (hit.part.part) {
        case NodePart::Input:
        case NodePart::Output:
            return Qt::CrossCursor;
        case NodePart::Value: {
            const RowFace& row = hit.node->face().rows[static_cast<size_t>(hit.part.index)];
            return canDragValue(row) ? Qt::SizeHorCursor : Qt::PointingHandCursor;
        }
        case NodePart::Fold:
        case NodePart::Picture:
            return Qt::PointingHandCursor;
        default:
            break;
    }
    if (hit.reroute >= 0) {
        return Qt::SizeAllCursor;
    }
    return hit.boxPart == BoxPart::Corner ? Qt::SizeFDiagCursor
           : hit.boxPart == BoxPart::Fold ? Qt::PointingHandCursor
                                          : Qt::ArrowCursor;
}

}  // namespace

QString GraphView::Parts::tipFor(const CanvasHit& hit) const {
    if (hit.node == nullptr) {
        if (hit.wire) {
            const Wire& wire = scene.wires().wires()[*hit.wire];
            return GraphView::tr("%1: %2 to %3")
                .arg(QString::fromStdString(wire.type),
                     scene.node(wire.from.node)->face().title,
                     scene.node(wire.to.node)->face().title);
        }
        return {};
    }
    const NodeFace& face = hit.node->face();
    const NodeStatus& status = hit.node->status();
    const auto index = static_cast<size_t>(hit.part.index);
    QString text;
    std::string item;
    switch (hit.part.part) {
        case NodePart::Input:
            text = portTip(face.inputs[index]);
            item = face.inputs[index].id;
            break;
        case NodePart::Output:
            text = portTip(face.outputs[index]);
            item = face.outputs[index].id;
            break;
        case NodePart::Row:
        case NodePart::Value:
            item = face.rows[index].param;
            text = rowTip(face.rows[index]);
            break;
        default:
            return nodeTip(face, status);
    }
    return withIssues(text, status, item);
}

void GraphView::Parts::hover(const PointerAt& at) {
    const CanvasHit hit = hitAt(scene, at.scene, at.zoom);
    const std::string now = hit.node != nullptr ? hit.node->id() : std::string();
    if (NodeItem* before = scene.node(hoveredNode); before != nullptr && hoveredNode != now) {
        before->setHovered({});
    }
    hoveredNode = now;
    if (hit.node != nullptr) {
        hit.node->setHovered(hit.part);
    }
    if (const std::optional<graph::PortRef> port = hit.port()) {
        scene.wires().emphasisePort(*port, hit.part.part == NodePart::Output);
    } else if (hit.wire) {
        scene.wires().setEmphasised({*hit.wire});
    } else if (!selectedWire) {
        scene.wires().setEmphasised({});
    }
    if (!heldKey) {
        view.viewport()->setCursor(cursorFor(hit));
    }
}

void GraphView::Parts::leave() {
    if (NodeItem* before = scene.node(hoveredNode); before != nullptr) {
        before->setHovered({});
    }
    hoveredNode.clear();
    pointer.reset();
    if (!gesture && !selectedWire) {
        scene.wires().setEmphasised({});
    }
}

}  // namespace lowtide::ui
