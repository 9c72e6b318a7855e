#include "ui/canvas/graph_scene.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr double kSceneMargin = 200;

QPointF pointOf(const graph::DocumentNode& node) {
    const Point point = positionOf(node);
    return {point.x, point.y};
}

/// Where wires end at the node and what they keep clear of, and how it runs.
bool isLaidOutAlike(const NodeItem& item, const NodeLayout& layout, graph::NodeMode mode) {
    const auto areAlike = [](const std::vector<PortSpot>& some,
                             const std::vector<PortSpot>& others) {
        return std::equal(some.begin(),
                          some.end(),
                          others.begin(),
                          others.end(),
                          [](const auto& a, const auto& b) { return a.centre == b.centre; });
    };
    return item.face().mode == mode && item.layout().body == layout.body &&
           areAlike(item.layout().inputs, layout.inputs) &&
           areAlike(item.layout().outputs, layout.outputs);
}

}  // namespace

GraphScene::GraphScene(GraphModel& model, NodeStatuses& statuses, QObject* parent)
    : QGraphicsScene(parent),
      model_(model),
      statuses_(statuses),
      look_(std::make_unique<Look>(Theme::current())),
      wires_(new WireLayer(*look_)) {
    addItem(wires_);
    connect(&model, &GraphModel::changed, this, &GraphScene::take);
    connect(&statuses, &NodeStatuses::changed, this, &GraphScene::takeStatus);
    connect(&statuses, &NodeStatuses::allChanged, this, [this] {
        for (const auto& [id, item] : nodes_) {
            takeStatus(id);
        }
    });
    connect(&Themed::instance(), &Themed::changed, this, &GraphScene::changeLook);
    take({.reset = true});
}

GraphScene::~GraphScene() {
    clear();  // the items look at look_
}

NodeItem* GraphScene::node(const std::string& id) const {
    const auto found = nodes_.find(id);
    return found == nodes_.end() ? nullptr : found->second;
}

std::vector<NodeItem*> GraphScene::shownNodes() const {
    std::vector<NodeItem*> shown;
    for (const auto& [id, item] : nodes_) {
        if (item->isVisible()) {
            shown.push_back(item);
        }
    }
    return shown;
}

NodeRects GraphScene::nodeRects() const {
    NodeRects rects;
    for (const NodeItem* item : shownNodes()) {
        rects.emplace(item->id(), item->bodyInScene());
    }
    return rects;
}

void GraphScene::take(const Delta& delta) {
    // All items leave the map before one dies: a chosen one tells that the selection changed.
    if (delta.reset) {
        for (const auto& [id, item] : std::exchange(nodes_, {})) {
            delete item;
        }
    }
    const graph::Document& document = model_.document();
    std::set<std::string> fresh = delta.added;
    fresh.insert(delta.changed.begin(), delta.changed.end());
    if (delta.reset || delta.exposed) {
        for (const auto& [id, node] : document.nodes) {
            fresh.insert(id);
        }
    }
    std::vector<NodeItem*> removed;
    for (const std::string& id : delta.removed) {
        if (const auto found = nodes_.extract(id)) {
            removed.push_back(found.mapped());
        }
    }
    qDeleteAll(removed);
    if (delta.links || delta.reset) {
        std::map<std::string, LinkedPorts> linked = linkedPorts(document);
        for (const auto& [id, node] : document.nodes) {
            const LinkedPorts &before = linked_[id], &now = linked[id];
            if (before.inputs != now.inputs || before.outputs != now.outputs) {
                fresh.insert(id);
            }
        }
        linked_ = std::move(linked);
    }
    const bool isLaidOut = rebuildNodes(fresh);
    for (const std::string& id : delta.moved) {
        if (NodeItem* item = node(id); item != nullptr) {
            item->setPos(pointOf(document.nodes.at(id)));
        }
    }
    if (delta.frames || delta.notes || delta.reset) {
        rebuildBoxes();
    }
    const bool isElsewhere = delta.reset || delta.links || delta.frames || isLaidOut ||
                             !delta.moved.empty() || !delta.removed.empty();
    if (isElsewhere) {  // a value that changed moves no wire
        hideMembers();
        rebuildWires();
        updateSceneRect();
    }
    Q_EMIT arranged();
}

bool GraphScene::rebuildNodes(const std::set<std::string>& ids) {
    bool isLaidOut = false;
    const graph::Document& document = model_.document();
    for (const std::string& id : ids) {
        const auto found = document.nodes.find(id);
        if (found == document.nodes.end()) {
            continue;
        }
        NodeItem*& item = nodes_[id];
        const bool isNew = item == nullptr;
        if (isNew) {
            item = new NodeItem(*look_);
            item->setZValue(1);
            addItem(item);
        }
        const NodeLayout layout = item->layout();
        const graph::NodeMode mode = item->face().mode;
        const QPointF place = item->pos();
        item->setFace(faceOf(document, model_.catalog(), id, linked_[id]));
        item->setStatus(statuses_.of(id));
        item->setPos(pointOf(found->second));
        isLaidOut =
            isLaidOut || isNew || item->pos() != place || !isLaidOutAlike(*item, layout, mode);
    }
    return isLaidOut;
}

void GraphScene::rebuildBoxes() {
    std::vector<BoxItem*> kept;
    for (const BoxKind kind : {BoxKind::Frame, BoxKind::Note}) {
        for (Box& box : boxesOf(model_.document(), kind)) {
            BoxItem* item = this->box(kind, box.id);
            if (item == nullptr) {
                item = kind == BoxKind::Frame ? static_cast<BoxItem*>(new FrameItem(*look_))
                                              : new NoteItem(*look_);
                addItem(item);
            }
            item->setBox(std::move(box));
            kept.push_back(item);
        }
    }
    for (BoxItem* item : std::exchange(boxes_, kept)) {
        if (std::find(kept.begin(), kept.end(), item) == kept.end()) {
            delete item;
        }
    }
}

BoxItem* GraphScene::box(BoxKind kind, const std::string& id) const {
    const auto found = std::find_if(boxes_.begin(), boxes_.end(), [&](const BoxItem* item) {
        return item->kind() == kind && item->box().id == id;
    });
    return found == boxes_.end() ? nullptr : *found;
}

std::vector<NodeItem*> GraphScene::membersOf(const BoxItem& frame) const {
    std::vector<NodeItem*> members;
    const QRectF rect = frame.wholeRect();
    for (const auto& [id, item] : nodes_) {
        if (rect.contains(item->bodyInScene())) {
            members.push_back(item);
        }
    }
    return members;
}

void GraphScene::hideMembers() {
    hiddenBy_.clear();
    for (const BoxItem* item : boxes_) {
        if (item->kind() == BoxKind::Frame && item->box().isCollapsed) {
            for (const NodeItem* member : membersOf(*item)) {
                hiddenBy_.emplace(member->id(), item);
            }
        }
    }
    for (const auto& [id, item] : nodes_) {
        item->setVisible(!hiddenBy_.contains(id));
    }
}

void GraphScene::reload() {
    const std::set<std::string> selected = selectedNodes();
    take({.reset = true});
    select(selected);
}

void GraphScene::takeStatus(const std::string& id) {
    NodeItem* item = node(id);
    if (item == nullptr) {
        return;
    }
    const QRectF before = item->bodyInScene();
    item->setStatus(statuses_.of(id));
    if (item->bodyInScene() != before) {
        routeAllWires();
        updateSceneRect();
        Q_EMIT arranged();
    }
}

void GraphScene::changeLook() {
    *look_ = Look(Theme::current());
    for (const auto& [id, item] : nodes_) {
        item->lookChanged();
    }
    for (BoxItem* item : boxes_) {
        item->lookChanged();
    }
    update();
    Q_EMIT arranged();
}

QRectF GraphScene::contentRect() const {
    QRectF rect;
    for (const NodeItem* item : shownNodes()) {
        rect |= item->bodyInScene();
    }
    for (const BoxItem* item : boxes_) {
        rect |= item->shownRect();
    }
    return rect;
}

void GraphScene::updateSceneRect() {
    setSceneRect(contentRect().adjusted(-kSceneMargin, -kSceneMargin, kSceneMargin, kSceneMargin));
}

}  // namespace lowtide::ui
