// What lies under a point of the canvas.
#include "ui/canvas/graph_scene.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr double kPortPixels = 10;
constexpr double kMostPortReach = 16;
constexpr double kWirePixels = 6;
constexpr double kReroutePixels = 8;

void hitNodes(CanvasHit& hit, const GraphScene& scene, QPointF point, double zoom) {
    const double reach = std::min(kPortPixels / zoom, kMostPortReach);
    const QRectF around(point.x() - reach, point.y() - reach, 2 * reach, 2 * reach);
    for (QGraphicsItem* item :
         scene.items(around, Qt::IntersectsItemBoundingRect, Qt::DescendingOrder)) {
        auto* node = qgraphicsitem_cast<NodeItem*>(item);
        if (node == nullptr) {
            continue;
        }
        const NodePartAt part = node->partAtScene(point, reach);
        if (part.part != NodePart::None) {
            hit.node = node;
            hit.part = part;
            return;
        }
    }
}

void hitWires(CanvasHit& hit, const GraphScene& scene, QPointF point, double zoom) {
    const std::vector<Wire>& wires = scene.wires().wires();
    for (size_t i = 0; i < wires.size(); ++i) {
        for (size_t j = 0; j < wires[i].via.size(); ++j) {
            const QPointF away = wires[i].via[j] - point;
            if (!wires[i].isHidden && std::hypot(away.x(), away.y()) <= kReroutePixels / zoom) {
                hit.wire = i;
                hit.reroute = static_cast<int>(j);
                return;
            }
        }
    }
    hit.wire = scene.wires().wireAt(point, kWirePixels / zoom);
}

/// The title of an open group, or the mark that folds it.
void hitGroups(CanvasHit& hit, const GraphScene& scene, QPointF point, double zoom) {
    for (const auto& [id, frame] : scene.groupFrames()) {
        const BoxPart part =
            frame->isVisible() ? frame->partAtScene(point, kReroutePixels / zoom) : BoxPart::None;
        if (part == BoxPart::Title || part == BoxPart::Fold) {
            hit.group = id;
            hit.boxPart = part;
        }
    }
}

void hitBoxes(CanvasHit& hit, const GraphScene& scene, QPointF point, double zoom) {
    const std::vector<BoxItem*>& boxes = scene.boxes();
    for (auto item = boxes.rbegin(); item != boxes.rend(); ++item) {
        const BoxPart part = (*item)->partAtScene(point, kReroutePixels / zoom);
        if (part != BoxPart::None) {
            hit.box = *item;
            hit.boxPart = part;
            return;
        }
    }
}

}  // namespace

std::optional<graph::PortRef> CanvasHit::port() const {
    if (node == nullptr || (part.part != NodePart::Input && part.part != NodePart::Output)) {
        return std::nullopt;
    }
    const NodeFace& face = node->face();
    const auto& ports = part.part == NodePart::Input ? face.inputs : face.outputs;
    return ports[static_cast<size_t>(part.index)].ref;
}

const RowFace* CanvasHit::row() const {
    const bool isRow = part.part == NodePart::Row || part.part == NodePart::Value;
    return node != nullptr && isRow ? &node->face().rows[static_cast<size_t>(part.index)] : nullptr;
}

CanvasHit hitAt(const GraphScene& scene, QPointF point, double zoom) {
    CanvasHit hit;
    hitNodes(hit, scene, point, zoom);
    if (hit.node == nullptr) {
        hitWires(hit, scene, point, zoom);
    }
    if (hit.node == nullptr && !hit.wire) {
        hitGroups(hit, scene, point, zoom);
    }
    if (hit.node == nullptr && !hit.wire && hit.group.empty()) {
        hitBoxes(hit, scene, point, zoom);
    }
    return hit;
}

}  // namespace lowtide::ui
