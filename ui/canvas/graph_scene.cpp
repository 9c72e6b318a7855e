#include "ui/canvas/graph_scene.hpp"

#include "ui/canvas/node_widths.hpp"

#include <QCoreApplication>
#include <QSignalBlocker>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr double kSceneMargin = 200;
constexpr double kNodeHeight = 1;  ///< among items; wires and frames lie below
constexpr double kSelectedHeight = 2;
constexpr double kOfferingHeight = 3;

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

constexpr int kTracks = 4;
constexpr double kMostRouted = 8000;  ///< longer wires run straight: no way around is shorter
constexpr double kFrameMiddle = 16;   ///< half of a collapsed frame's height

constexpr double kGroupHeight = -0.9;  ///< above the frames that are drawn
constexpr double kGroupDepth = 0.01;   ///< by which a frame lies above the one around it
constexpr const char* kGroupColour = "violet";

template <typename Item>
void deleteItems(std::map<std::string, Item*>& items) {
    for (const auto& [id, item] : std::exchange(items, {})) {
        delete item;
    }
}

struct GroupWords {
    Q_DECLARE_TR_FUNCTIONS(GroupStatus)
};

/// The more a user has to know it, the larger.
int weightOf(NodeActivity activity) {
    constexpr NodeActivity kOrder[] = {NodeActivity::Idle,
                                       NodeActivity::Cached,
                                       NodeActivity::Finished,
                                       NodeActivity::Waiting,
                                       NodeActivity::Running,
                                       NodeActivity::Failed};
    return static_cast<int>(std::ranges::find(kOrder, activity) - std::begin(kOrder));
}

/// Adds what is known of one node to what its group shows.
void addStatus(NodeStatus& whole, const std::string& node, const QString& title, NodeStatus own) {
    if (weightOf(own.activity) > weightOf(whole.activity)) {
        whole.activity = own.activity;
        whole.phase =
            own.phase.isEmpty()
                ? title
                : GroupWords::tr("%1: %2", "title of a node, its phase").arg(title, own.phase);
        whole.done = own.done;
        whole.total = own.total;
        whole.secondsLeft = own.secondsLeft;
    }
    whole.milliseconds += own.milliseconds;
    whole.peakBytes = std::max(whole.peakBytes, own.peakBytes);
    whole.plannedBytes = std::max(whole.plannedBytes, own.plannedBytes);
    whole.lossy += own.lossy;
    for (Issue& issue : own.issues) {
        issue.item = issue.item.empty() ? std::string() : nameInGroup({node, issue.item});
        whole.issues.push_back(std::move(issue));
    }
}

constexpr double kNearWire = 4;  ///< farther nodes leave a direct wire alone

/// Where a wire looks for a way.
QRectF aroundOf(const Wire& wire) {
    double left = std::min(wire.start.x(), wire.end.x());
    double right = std::max(wire.start.x(), wire.end.x());
    double top = std::min(wire.start.y(), wire.end.y());
    double bottom = std::max(wire.start.y(), wire.end.y());
    for (const QPointF& point : wire.via) {
        left = std::min(left, point.x());
        right = std::max(right, point.x());
        top = std::min(top, point.y());
        bottom = std::max(bottom, point.y());
    }
    return QRectF(QPointF(left, top), QPointF(right, bottom))
        .adjusted(-kLookAround, -kLookAround, kLookAround, kLookAround);
}

/// The line of a wire with the same ends and bends.
void takeLine(Wire& wire, const Wire& known) {
    if (known.from == wire.from && known.via == wire.via && known.track == wire.track) {
        wire.start = known.start;
        wire.end = known.end;
        wire.isHidden = known.isHidden;
        wire.path = known.path;
    }
}

/// Bodies that came, went or changed: where they were, and where they are.
std::vector<QRectF> changesOf(const std::map<const QGraphicsItem*, QRectF>& before,
                              const std::map<const QGraphicsItem*, QRectF>& now) {
    std::vector<QRectF> changed;
    const auto addOthers = [&changed](const auto& some, const auto& others) {
        for (const auto& [item, body] : some) {
            const auto other = others.find(item);
            if (other == others.end() || other->second != body) {
                changed.push_back(body);
            }
        }
    };
    addOthers(before, now);
    addOthers(now, before);
    return changed;
}

/// Whether one of the bodies may matter to the wire's line: a direct one matters where it lies.
bool isNear(const Wire& wire, const std::vector<QRectF>& bodies) {
    const QRectF& line = wire.path.bounds;
    const QRectF around = wire.path.isClear
                              ? line.adjusted(-kNearWire, -kNearWire, kNearWire, kNearWire)
                              : aroundOf(wire);
    return std::ranges::any_of(bodies, [&](const QRectF& body) { return body.intersects(around); });
}

}  // namespace

GraphScene::GraphScene(GraphModel& model, NodeStatuses& statuses, QObject* parent)
    : QGraphicsScene(parent),
      model_(model),
      statuses_(statuses),
      look_(std::make_unique<Look>(Theme::current())),
      groups_(model.document()),
      wires_(new WireLayer(*look_)) {
    addItem(wires_);
    connect(&model, &GraphModel::changed, this, &GraphScene::take);
    connect(&statuses, &NodeStatuses::changed, this, &GraphScene::takeStatus);
    connect(&statuses, &NodeStatuses::allChanged, this, [this] {
        std::vector<std::string> units;
        for (const auto* items : {&nodes_, &groupNodes_}) {
            for (const auto& [id, item] : *items) {
                units.push_back(id);
            }
        }
        showStatuses(units);
    });
    connect(&Themed::instance(), &Themed::changed, this, &GraphScene::changeLook);
    take({.reset = true});
}

GraphScene::~GraphScene() {
    clear();  // the items look at look_
}

NodeItem* GraphScene::node(const std::string& id) const {
    const auto found = nodes_.find(id);
    if (found != nodes_.end()) {
        return found->second;
    }
    const auto group = groupNodes_.find(id);
    return group == groupNodes_.end() ? nullptr : group->second;
}

NodeItem* GraphScene::shownNode(const std::string& id) const {
    return node(groups_.shownAs(id));
}

QPointF GraphScene::portInScene(const graph::PortRef& port, bool isOutput) const {
    const NodeItem* item = shownNode(port.node);
    return item->portInScene(item->face().isGroup ? nameInGroup(port) : port.port, isOutput);
}

/// A preview first, else what lies farthest to the right.
std::string GraphScene::imageNodeOf(const NodeItem& item) const {
    const NodeItem* best = nullptr;
    const auto worth = [this](const NodeItem& each) {
        return std::tuple(statuses_.of(each.id()).step.has_value(), each.pos().x(), each.pos().y());
    };
    // Not of the document, which may be another one already: statuses change first.
    for (const std::string& id : groups_.nodesIn(item.id())) {
        const NodeItem* each = node(id);
        if (each != nullptr && !statuses_.of(id).nodeImage.isNull() &&
            (best == nullptr || worth(*each) > worth(*best))) {
            best = each;
        }
    }
    return best == nullptr ? item.id() : best->id();
}

NodeStatus GraphScene::statusOf(const std::string& id) const {
    if (groups_.find(id) == nullptr) {
        return statuses_.of(id);
    }
    NodeStatus whole;
    for (const std::string& member : groups_.nodesIn(id)) {
        const NodeItem* item = node(member);
        addStatus(whole, member, item ? item->face().title : QString(), statuses_.of(member));
    }
    const NodeStatus& shown = statuses_.of(imageNodeOf(*node(id)));
    whole.nodeImage = shown.nodeImage;
    whole.step = shown.step;
    whole.shownSize = shown.shownSize;
    whole.wholeImage = shown.wholeImage;
    return whole;
}

bool GraphScene::isFoldedAway(const std::string& id) const {
    const Group* group = groups_.find(id);
    return groups_.shownAs(id) != id || (group != nullptr && !group->isFolded);
}

std::vector<NodeItem*> GraphScene::shownNodes() const {
    std::vector<NodeItem*> shown;
    for (const auto* items : {&nodes_, &groupNodes_}) {
        for (const auto& [id, item] : *items) {
            if (item->isVisible()) {
                shown.push_back(item);
            }
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

NodeRects GraphScene::wireableRects() const {
    NodeRects rects;
    for (const auto& [id, item] : nodes_) {
        if (const NodeItem* shown = shownNode(id); shown->isVisible()) {
            rects.emplace(id, shown->bodyInScene());
        }
    }
    return rects;
}

void GraphScene::take(const Delta& delta) {
    const graph::Document& document = model_.document();
    const std::set<std::string> selected = selectedNodes();
    const Groups earlier = std::exchange(groups_, Groups(document));
    const bool areOtherGroups = delta.reset || delta.groups || !groups_.holdAlike(earlier);
    // All items leave the map before one dies: a selected one reports that the selection changed.
    if (delta.reset) {
        deleteItems(groupNodes_);
        deleteItems(groupFrames_);
        deleteItems(nodes_);
    }
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
    const bool areNodesLaidOut = rebuildNodes(fresh);
    for (const std::string& id : delta.moved) {
        if (NodeItem* item = node(id); item != nullptr) {
            item->setPos(pointOf(document.nodes.at(id)));
        }
    }
    fresh.insert(delta.moved.begin(), delta.moved.end());
    if (areOtherGroups || delta.links) {
        for (const auto& [id, node] : document.nodes) {
            fresh.insert(id);
        }
    }
    const bool isLaidOut = rebuildGroups(fresh) || areNodesLaidOut;
    if (delta.frames || delta.notes || delta.reset) {
        rebuildBoxes();
    }
    const bool isElsewhere = delta.reset || delta.links || delta.frames || areOtherGroups ||
                             isLaidOut || !delta.moved.empty() || !delta.removed.empty();
    followNodes();
    const bool isWider = (isElsewhere || delta.notes) && fitWidths();
    bool isOtherSelection = false;
    if (isElsewhere || isWider) {  // a value that changed moves no wire
        followNodes();
        isOtherSelection = hideMembers();
        rebuildWires();
        updateSceneRect();
    }
    if (delta.groups &&
        !delta.reset) {  // what is shown in place of something is selected as it was
        isOtherSelection = selectQuietly(selected) || isOtherSelection;
    }
    if (isOtherSelection) {
        Q_EMIT selectionChanged();
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
        const bool isRefreshed = refresh(nodes_[id],
                                         id,
                                         faceOf(document, model_.catalog(), id, linked_[id]),
                                         pointOf(found->second));
        isLaidOut = isLaidOut || isRefreshed;
    }
    return isLaidOut;
}

bool GraphScene::refresh(NodeItem*& item, const std::string& id, NodeFace face, QPointF point) {
    const bool isNew = item == nullptr;
    if (isNew) {
        item = new NodeItem(*look_);
        item->setZValue(kNodeHeight);
        addItem(item);
    }
    const NodeLayout layout = item->layout();
    const graph::NodeMode mode = item->face().mode;
    const QPointF before = item->pos();
    const double wanted = item->wantedWidth();
    item->setFace(std::move(face));
    item->setStatus(statusOf(id));
    item->setPos(point);
    return isNew || point != before || item->wantedWidth() != wanted ||
           !isLaidOutAlike(*item, layout, mode);
}

bool GraphScene::rebuildGroups(const NodeIds& nodes) {
    bool isLaidOut = false;
    NodeIds touched;
    for (const std::string& id : nodes) {
        const std::vector<std::string> around = groups_.around(id);
        touched.insert(around.begin(), around.end());
    }
    std::vector<QGraphicsItem*> gone;
    std::erase_if(groupNodes_, [&](const auto& entry) {
        const bool isGone = groups_.find(entry.first) == nullptr;
        if (isGone) {
            gone.push_back(entry.second);
            gone.push_back(groupFrames_.extract(entry.first).mapped());
        }
        return isGone;
    });
    qDeleteAll(gone);
    for (const std::string& id : touched) {
        NodeItem*& item = groupNodes_[id];
        const bool isRefreshed =
            refresh(item,
                    id,
                    groupFace(model_.document(), model_.catalog(), groups_, id, linked_),
                    item == nullptr ? QPointF() : item->pos());
        isLaidOut = isLaidOut || isRefreshed;
        if (BoxItem*& frame = groupFrames_[id]; frame == nullptr) {
            frame = new BoxItem(*look_, BoxKind::Frame, BoxSize::OfGroup);
            addItem(frame);
        }
    }
    return isLaidOut;
}

void GraphScene::followNodes() {
    const auto boxOf = [this](const std::string& id) {
        const NodeItem& item = *node(id);
        const QSizeF size = item.layout().body.size();
        return NodeBox{.id = id,
                       .topLeft = {item.pos().x(), item.pos().y()},
                       .size = {size.width(), size.height()}};
    };
    NodeSizes sizes;
    for (const auto& [id, item] : groupNodes_) {
        sizes[id] = {item->layout().body.width(), item->layout().body.height()};
    }
    for (const auto& [id, group] : groups_.all()) {
        const NodeBox box = groupBox(groups_, id, boxOf, sizes);
        groupNodes_.at(id)->setPos(box.topLeft.x, box.topLeft.y);
        const Box frame{.id = id,
                        .text = group.title,
                        .topLeft = box.topLeft,
                        .size = box.size,
                        .colour = kGroupColour};
        BoxItem& item = *groupFrames_.at(id);
        const auto depth = static_cast<double>(groups_.around(id).size());
        item.setZValue(kGroupHeight + kGroupDepth * depth);
        if (item.box() != frame) {
            item.setBox(frame);  // lays its title out
        }
    }
}

std::string GraphScene::openGroupAt(QPointF point, const NodeIds& without) const {
    std::string found;
    for (const auto& [id, frame] : groupFrames_) {
        const NodeIds held = groups_.nodesIn(id);
        const bool isLeftOut = std::ranges::any_of(
            held, [&without](const std::string& each) { return without.contains(each); });
        if (frame->isVisible() && !isLeftOut && frame->shownRect().contains(point) &&
            (found.empty() || frame->zValue() > groupFrames_.at(found)->zValue())) {
            found = id;
        }
    }
    return found;
}

bool GraphScene::fitWidths() {
    std::vector<WidthWish> wishes;
    std::vector<NodeItem*> fitted;
    for (const auto* items : {&nodes_, &groupNodes_}) {
        for (const auto& [id, item] : *items) {
            if (isFoldedAway(id)) {
                item->setWidth(item->wantedWidth());
                continue;
            }
            wishes.push_back({.body = item->leastBodyInScene(), .wanted = item->wantedWidth()});
            fitted.push_back(item);
        }
    }
    std::vector<QRectF> boxes;
    for (const BoxItem* item : boxes_) {
        boxes.push_back(item->wholeRect());
    }
    const std::vector<double> widths = widthsInSpace(wishes, boxes);
    bool isChanged = false;
    for (size_t index = 0; index < fitted.size(); ++index) {
        isChanged = isChanged || fitted[index]->layout().body.width() != widths[index];
        fitted[index]->setWidth(widths[index]);
    }
    return isChanged;
}

void GraphScene::offerFolded(const std::string& node, const std::string& type) {
    NodeItem* now = this->node(node);
    if (NodeItem* before = this->node(offering_); before != nullptr && before != now) {
        before->offerFolded({});
        before->setZValue(before->isSelected() ? kSelectedHeight : kNodeHeight);
    }
    offering_ = node;
    if (now != nullptr) {
        now->offerFolded(type);
        now->setZValue(kOfferingHeight);  // above the nodes on the left
    }
}

void GraphScene::rebuildBoxes() {
    std::vector<BoxItem*> kept;
    for (const BoxKind kind : {BoxKind::Frame, BoxKind::Note}) {
        for (Box& box : boxesOf(model_.document(), kind)) {
            BoxItem* item = this->box(kind, box.id);
            if (item == nullptr) {
                item = new BoxItem(*look_, kind);
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
        if (rect.contains(shownNode(id)->bodyInScene())) {
            members.push_back(item);
        }
    }
    return members;
}

bool GraphScene::hideMembers() {
    hiddenBy_.clear();
    for (const BoxItem* item : boxes_) {
        if (item->kind() == BoxKind::Frame && item->box().isCollapsed) {
            for (const NodeItem* member : membersOf(*item)) {
                hiddenBy_.emplace(groups_.shownAs(member->id()), item);
            }
        }
    }
    const qsizetype selected = selectedItems().size();
    {
        const QSignalBlocker quiet(this);  // what is hidden is no longer selected
        for (const auto* items : {&nodes_, &groupNodes_}) {
            for (const auto& [id, item] : *items) {
                item->setVisible(!hiddenBy_.contains(id) && !isFoldedAway(id));
            }
        }
    }
    for (const auto& [id, frame] : groupFrames_) {
        const NodeIds nodes = groups_.nodesIn(id);
        frame->setVisible(!groups_.find(id)->isFolded && groups_.shownAs(id) == id &&
                          std::ranges::any_of(nodes, [this](const std::string& node) {
                              return shownNode(node)->isVisible();
                          }));
    }
    return selectedItems().size() != selected;
}

void GraphScene::reload() {
    const std::set<std::string> selected = selectedNodes();
    take({.reset = true});
    select(selected);
}

void GraphScene::takeStatus(const std::string& id) {
    std::vector<std::string> units = groups_.around(id);
    units.push_back(id);
    showStatuses(units);
}

void GraphScene::showStatuses(const std::vector<std::string>& units) {
    bool isResized = false;
    for (const std::string& unit : units) {
        if (NodeItem* item = node(unit); item != nullptr) {
            const QRectF before = item->bodyInScene();
            item->setStatus(statusOf(unit));
            isResized = isResized || item->bodyInScene() != before;
        }
    }
    if (isResized) {
        followNodes();
        routeAllWires();
        updateSceneRect();
        Q_EMIT arranged();
    }
}

void GraphScene::changeLook() {
    *look_ = Look(Theme::current());
    for (const auto* items : {&nodes_, &groupNodes_}) {
        for (const auto& [id, item] : *items) {
            item->lookChanged();
        }
    }
    for (BoxItem* item : boxes_) {
        item->lookChanged();
    }
    for (const auto& [id, frame] : groupFrames_) {
        frame->lookChanged();
    }
    if (fitWidths()) {  // another font
        followNodes();
        routeAllWires();
        updateSceneRect();
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
    for (const auto& [id, frame] : groupFrames_) {
        rect |= frame->isVisible() ? frame->shownRect() : QRectF();
    }
    return rect;
}

void GraphScene::updateSceneRect() {
    setSceneRect(contentRect().adjusted(-kSceneMargin, -kSceneMargin, kSceneMargin, kSceneMargin));
}

const BoxItem* GraphScene::hidingFrame(const std::string& node) const {
    const auto found = hiddenBy_.find(node);
    return found == hiddenBy_.end() ? nullptr : found->second;
}

GraphScene::Bodies GraphScene::bodies() const {
    Bodies bodies;
    for (const NodeItem* item : shownNodes()) {
        bodies.emplace(item, item->bodyInScene());
    }
    for (const BoxItem* item : boxes_) {
        if (item->kind() == BoxKind::Frame && item->box().isCollapsed) {
            bodies.emplace(item, item->shownRect());
        }
    }
    return bodies;
}

GraphScene::WireEnds GraphScene::endsOf(const Wire& wire) const {
    const NodeItem* from = shownNode(wire.from.node);
    const NodeItem* to = shownNode(wire.to.node);
    const BoxItem* fromFrame = from ? hidingFrame(from->id()) : nullptr;
    const BoxItem* toFrame = to ? hidingFrame(to->id()) : nullptr;
    if (!from || !to || (fromFrame && fromFrame == toFrame) ||
        (from == to && from->face().isGroup)) {
        return {};
    }
    WireEnds ends{.from = from,
                  .to = to,
                  .start = portInScene(wire.from, true),
                  .end = portInScene(wire.to, false),
                  .isHidden = false};
    if (fromFrame) {
        ends.from = fromFrame;
        ends.start = fromFrame->shownRect().topRight() + QPointF(0, kFrameMiddle);
    }
    if (toFrame) {
        ends.to = toFrame;
        ends.end = toFrame->shownRect().topLeft() + QPointF(0, kFrameMiddle);
    }
    return ends;
}

Wire GraphScene::routedAround(Wire wire, const Bodies& bodies) const {
    const WireEnds ends = endsOf(wire);
    wire.start = ends.start;
    wire.end = ends.end;
    wire.isHidden = ends.isHidden;
    wire.path = {};
    if (wire.isHidden) {
        return wire;
    }
    InTheWay inTheWay;
    const QRectF around = aroundOf(wire);
    for (const auto& [item, body] : bodies) {
        if (item == ends.from) {
            inTheWay.source = body;
        } else if (item == ends.to) {
            inTheWay.target = body;
        } else if (body.intersects(around)) {
            inTheWay.others.push_back(body);
        }
    }
    wire.path = wirePath(wire.start,
                         wire.end,
                         wire.via,
                         around.width() < kMostRouted ? inTheWay : InTheWay(),
                         wire.track);
    return wire;
}

Wire GraphScene::routed(Wire wire) const {
    return routedAround(std::move(wire), routedAround_);
}

void GraphScene::rebuildWires() {
    const graph::Document& document = model_.document();
    std::map<graph::PortRef, const Wire*> known;
    for (const Wire& wire : wires_->wires()) {
        known.emplace(wire.to, &wire);
    }
    std::map<graph::PortRef, int> tracks;  // wires of one source share a track
    std::vector<Wire> wires;
    for (const graph::Link& link : document.links) {
        const int next = static_cast<int>(tracks.size()) % kTracks;
        Wire wire{.from = link.from,
                  .to = link.to,
                  .type = typeAt({link.from, true}, document, model_.catalog()),
                  .via = {},
                  .track = tracks.emplace(link.from, next).first->second};
        if (wire.type == "*") {
            wire.type = typeAt({link.to, false}, document, model_.catalog());
        }
        for (const Point& point : reroutesOf(link)) {
            wire.via.emplace_back(point.x, point.y);
        }
        const auto isMuted = [&document](const std::string& id) {
            const auto found = document.nodes.find(id);
            return found != document.nodes.end() && found->second.mode == graph::NodeMode::Muted;
        };
        wire.isFaint = isMuted(link.from.node) || isMuted(link.to.node);
        if (const auto found = known.find(wire.to); found != known.end()) {
            takeLine(wire, *found->second);
        }
        wires.push_back(std::move(wire));
    }
    wires_->setWires(std::move(wires));
    routeAllWires();
}

void GraphScene::routeAllWires() {
    Bodies now = bodies();
    const std::vector<QRectF> changed = changesOf(routedAround_, now);
    for (size_t i = 0; i < wires_->wires().size(); ++i) {
        const Wire& wire = wires_->wires()[i];
        const WireEnds ends = endsOf(wire);
        const bool isAsBefore = ends.isHidden == wire.isHidden && ends.start == wire.start &&
                                ends.end == wire.end &&
                                (wire.isHidden || !wire.path.points.empty());
        if (!isAsBefore || isNear(wire, changed)) {
            wires_->replace(i, routedAround(wire, now));
        }
    }
    routedAround_ = std::move(now);
}

void GraphScene::routeWiresOf(const std::set<std::string>& nodes) {
    followNodes();
    Bodies moved = routedAround_;
    for (const auto& [item, body] : bodies()) {
        const auto* node = qgraphicsitem_cast<const NodeItem*>(item);
        if (!node || node->face().isGroup || nodes.contains(node->id())) {
            moved[item] = body;
        }
    }
    for (size_t i = 0; i < wires_->wires().size(); ++i) {
        const Wire& wire = wires_->wires()[i];
        if (nodes.contains(wire.from.node) || nodes.contains(wire.to.node)) {
            wires_->replace(i, routedAround(wire, moved));
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
    for (const auto& [id, item] : groupNodes_) {
        if (item->isSelected() && groups_.find(id) != nullptr) {
            selected.merge(groups_.nodesIn(id));
        }
    }
    return selected;
}

NodeItem* GraphScene::onlySelected() const {
    NodeItem* only = nullptr;
    for (NodeItem* item : shownNodes()) {
        if (item->isSelected()) {
            if (only != nullptr) {
                return nullptr;
            }
            only = item;
        }
    }
    return only;
}

/// However many items change, that is reported once: who hears it looks at all of them.
void GraphScene::select(const std::set<std::string>& nodes) {
    if (selectQuietly(nodes)) {
        Q_EMIT selectionChanged();
    }
}

bool GraphScene::selectQuietly(const std::set<std::string>& nodes) {
    std::set<std::string> items = nodes;
    for (const std::string& id : nodes) {
        items.insert(groups_.shownAs(id));
    }
    bool isOther = false;
    const auto mark = [&isOther](QGraphicsItem& item, bool isSelected) {
        const bool before = item.isSelected();
        item.setSelected(isSelected);
        isOther = isOther || item.isSelected() != before;
    };
    const QSignalBlocker quiet(this);
    for (const auto* each : {&nodes_, &groupNodes_}) {
        for (const auto& [id, item] : *each) {
            mark(*item, items.contains(id));
            item->setZValue(items.contains(id) ? kSelectedHeight : kNodeHeight);
        }
    }
    for (BoxItem* item : boxes_) {
        mark(*item, false);
    }
    return isOther;
}

void GraphScene::selectBoxes(BoxKind kind, const std::set<std::string>& ids) {
    for (BoxItem* item : boxes_) {
        if (item->kind() == kind) {
            item->setSelected(ids.contains(item->box().id));
        }
    }
}

}  // namespace lowtide::ui
