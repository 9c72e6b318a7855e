// GraphScene's part that lays wires.
#include "ui/canvas/graph_scene.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr int kLanes = 4;
constexpr double kAround = 320;       ///< how far from its ends a wire looks for obstacles
constexpr double kMostRouted = 6000;  ///< longer wires run straight: no way around is shorter
constexpr double kFrameMiddle = 16;   ///< half of a collapsed frame's height

}  // namespace

const BoxItem* GraphScene::hidingFrame(const std::string& node) const {
    const auto found = hiddenBy_.find(node);
    return found == hiddenBy_.end() ? nullptr : found->second;
}

Wire GraphScene::routed(Wire wire, int lane) const {
    const NodeItem* from = node(wire.from.node);
    const NodeItem* to = node(wire.to.node);
    const BoxItem* fromFrame = hidingFrame(wire.from.node);
    const BoxItem* toFrame = hidingFrame(wire.to.node);
    wire.isHidden = from == nullptr || to == nullptr || (fromFrame && fromFrame == toFrame);
    if (wire.isHidden) {
        wire.path = {};
        return wire;
    }
    wire.start = fromFrame ? fromFrame->shownRect().topRight() + QPointF(0, kFrameMiddle)
                           : from->outputInScene(wire.from.port);
    wire.end = toFrame ? toFrame->shownRect().topLeft() + QPointF(0, kFrameMiddle)
                       : to->inputInScene(wire.to.port);
    const QRectF span = QRectF(wire.start, wire.end).normalized();
    std::vector<QRectF> inTheWay;
    if (wire.via.empty() && span.width() < kMostRouted) {
        const QRectF around = span.adjusted(0, -kAround, 0, kAround);
        for (size_t i = 0; i < obstacles_.size(); ++i) {
            if (obstacles_[i].intersects(around) && obstacleIds_[i] != wire.from.node &&
                obstacleIds_[i] != wire.to.node) {
                inTheWay.push_back(obstacles_[i]);
            }
        }
    }
    wire.path = wirePath(wire.start, wire.end, wire.via, inTheWay, lane);
    return wire;
}

void GraphScene::rebuildWires() {
    const graph::Document& document = model_.document();
    std::vector<Wire> wires;
    for (const graph::Link& link : document.links) {
        Wire wire{.from = link.from,
                  .to = link.to,
                  .type = outputType(document, model_.catalog(), link.from)};
        if (wire.type == "*") {
            wire.type = inputType(document, model_.catalog(), link.to);
        }
        for (const Point& point : reroutesOf(link)) {
            wire.via.emplace_back(point.x, point.y);
        }
        const auto isMuted = [&document](const std::string& id) {
            const auto found = document.nodes.find(id);
            return found != document.nodes.end() && found->second.mode == graph::NodeMode::Muted;
        };
        wire.isFaint = isMuted(link.from.node) || isMuted(link.to.node);
        wires.push_back(std::move(wire));
    }
    wires_->setWires(std::move(wires));
    routeAllWires();
}

void GraphScene::routeAllWires() {
    obstacles_.clear();
    obstacleIds_.clear();
    for (const NodeItem* item : shownNodes()) {
        obstacles_.push_back(item->bodyInScene());
        obstacleIds_.push_back(item->id());
    }
    std::map<graph::PortRef, int> lanes;  // detours of one source share a lane
    std::vector<Wire> wires = wires_->wires();
    for (Wire& wire : wires) {
        const auto known = lanes.find(wire.from);
        const int next = static_cast<int>(lanes.size()) % kLanes;
        wire = routed(std::move(wire), known == lanes.end() ? next : known->second);
        if (wire.path.isDetour) {
            lanes.emplace(wire.from, next);
        }
    }
    wires_->setWires(std::move(wires));
}

void GraphScene::routeWiresOf(const std::set<std::string>& nodes) {
    for (size_t i = 0; i < obstacles_.size(); ++i) {
        if (nodes.contains(obstacleIds_[i])) {
            obstacles_[i] = node(obstacleIds_[i])->bodyInScene();
        }
    }
    for (size_t i = 0; i < wires_->wires().size(); ++i) {
        const Wire& wire = wires_->wires()[i];
        if (nodes.contains(wire.from.node) || nodes.contains(wire.to.node)) {
            wires_->replace(i, routed(wire, 0));
        }
    }
}

std::set<std::string> GraphScene::selectedNodes() const {
    std::set<std::string> selected;
    for (const auto& [id, item] : nodes_) {
        if (item->isSelected()) {
            selected.insert(id);
        }
    }
    return selected;
}

void GraphScene::select(const std::set<std::string>& nodes) {
    for (const auto& [id, item] : nodes_) {
        item->setSelected(nodes.contains(id));
        item->setZValue(nodes.contains(id) ? 2 : 1);
    }
    for (BoxItem* item : boxes_) {
        item->setSelected(false);
    }
}

void GraphScene::selectBoxes(BoxKind kind, const std::set<std::string>& ids) {
    for (BoxItem* item : boxes_) {
        if (item->kind() == kind) {
            item->setSelected(ids.contains(item->box().id));
        }
    }
}

}  // namespace lowtide::ui
