#include "ui/canvas/graph_view.hpp"

#include "plugin/base/error.hpp"
#include "ui/canvas/canvas_elements.hpp"
#include "ui/canvas/graph_view_parts.hpp"
#include "ui/canvas/node_widths.hpp"
#include "ui/canvas/view_menu.hpp"
#include "ui/document/auto_wires.hpp"
#include "ui/document/free_space.hpp"
#include "ui/document/inpainting.hpp"
#include "ui/theme/style_paint.hpp"

#include <QGuiApplication>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr double kPlane = 500000;  ///< half of what can be scrolled to
constexpr double kDotStep = 24;
constexpr double kDotPixels = 2;
constexpr double kLeastDotPixels = 14;

/// Undone, or changed elsewhere, in the middle of a drag. Values that differ, a seed that a run
/// draws, are no matter of it.
bool endsGestures(const Delta& delta) {
    return delta.reset || delta.links || delta.frames || delta.notes || delta.groups ||
           !delta.added.empty() || !delta.removed.empty() || !delta.moved.empty();
}

constexpr double kTakerPixels = 3;
constexpr double kTakerGround = 0.25;
constexpr double kTakenPort = 9;

constexpr double kPortDepth = node_measures::kHeader + 16;  ///< of a node's first port

/// As it will be painted, with space for the image of a file where it reads one.
Point sizeOfNew(const NodeDesc& desc, const graph::Catalog& catalog, const Look& look) {
    graph::Document document;
    const std::string id = addNode(document, desc, {});
    NodeItem item(look);
    item.setFace(faceOf(document, catalog, id, {}));
    const double width = item.wantedWidth();
    const bool showsImage = imageFileParam(desc) != nullptr || videoFileParam(desc) != nullptr;
    return {width, item.layout().body.height() + (showsImage ? width : 0)};
}

}  // namespace

GraphView::Parts::Parts(GraphView& owner,
                        GraphModel& graphModel,
                        NodeStatuses& nodeStatuses,
                        const OfferedFiles* offered)
    : view(owner),
      model(graphModel),
      statuses(nodeStatuses),
      scene(graphModel, nodeStatuses),
      rows(owner, scene, offered),
      texts(owner, scene),
      search(graphModel.catalog(), &owner),
      wiring(scene, &owner),
      navigation(owner, scene),
      tip(&owner),
      breadcrumbs(&owner),
      elements(std::make_unique<CanvasElements>(*this)) {}

GraphView::GraphView(GraphModel& model,
                     NodeStatuses& statuses,
                     const OfferedFiles* offered,
                     QWidget* parent)
    : QGraphicsView(parent), parts_(std::make_unique<Parts>(*this, model, statuses, offered)) {
    installCanvasAccess();
    setObjectName(QStringLiteral("graphView"));
    setScene(&parts_->scene);
    setSceneRect(-kPlane, -kPlane, 2 * kPlane, 2 * kPlane);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTransformationAnchor(NoAnchor);
    setResizeAnchor(NoAnchor);
    setViewportUpdateMode(SmartViewportUpdate);
    setOptimizationFlags(DontSavePainterState | DontAdjustForAntialiasing);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    setAcceptDrops(true);
    setAccessibleName(tr("Graph"));
    Parts* parts = parts_.get();
    connect(&parts->scene, &QGraphicsScene::selectionChanged, this, &GraphView::selectionChanged);
    connect(&model, &GraphModel::changed, this, [parts](const Delta& delta) {
        if (delta.reset) {
            parts->within.clear();
            parts->showPath();
        }
        if (parts->gesture && endsGestures(delta)) {
            parts->forgetGesture();
        } else if (parts->gesture) {  // its effect is shown again over what has changed
            parts->gesture->move(
                parts->pointerAt(parts->pointerOrMiddle(), QGuiApplication::keyboardModifiers()));
        }
    });
    connect(
        &parts->search, &SearchPopup::chosen, this, [parts](const auto& type, const auto& port) {
            parts->add(type, port);
        });
    connect(&parts->wiring, &WirePopup::chosen, this, [parts](const WireChoice& wire) {
        parts->model.apply(tr("Connect"), [&wire](graph::Document& document) {
            ui::connect(document, wire.from, wire.to);
        });
    });
    connect(&parts->wiring, &PickPopup::currentChanged, this, [this] { viewport()->update(); });
    for (PickPopup* popup :
         {static_cast<PickPopup*>(&parts->search), static_cast<PickPopup*>(&parts->wiring)}) {
        connect(popup, &PickPopup::closed, this, [this, parts] {
            parts->looseWire.reset();
            viewport()->update();
            setFocus(Qt::PopupFocusReason);
        });
    }
    connect(&parts->scene, &QGraphicsScene::selectionChanged, this, [parts] { parts->showPath(); });
    connect(&parts->scene, &GraphScene::arranged, this, [parts] { parts->showPath(); });
    connect(&parts->breadcrumbs, &Breadcrumbs::chosen, this, [this, parts](const auto& group) {
        parts->leaveTo(group);
        setFocus(Qt::OtherFocusReason);
    });
    connect(
        &parts->navigation, &ViewNavigation::zoomChanged, this, [parts] { parts->moveEditors(); });
    parts->navigation.fitAll();
}

GraphView::~GraphView() {
    parts_->scene.disconnect(this);
    parts_->search.disconnect(this);
    parts_->wiring.disconnect(this);
    parts_->rows.end();
    parts_->gesture.reset();
    setScene(nullptr);
}

void GraphView::offerSheets() {
    parts_->offersSheets = true;
}

void GraphView::setDefaults(NodeDefaults* defaults) {
    parts_->defaults = defaults;
}

void GraphView::setSnapping(bool isOn) {
    parts_->isSnapping = isOn;
}

void GraphView::invoke(std::string_view command) {
    commandOf(command).act(*parts_);
}

void GraphView::setKeys(const std::string& command, const QList<QKeySequence>& keys) {
    parts_->keys.set(command, keys);
}

std::set<std::string> GraphView::selectedNodes() const {
    return parts_->scene.selectedNodes();
}

void GraphView::select(const std::set<std::string>& nodes) {
    parts_->scene.select(nodes);
}

NodeSizes GraphView::nodeSizes() const {
    NodeSizes sizes;
    for (const auto& [id, node] : parts_->model.document().nodes) {
        if (const NodeItem* item = parts_->scene.node(id); item != nullptr) {
            sizes.emplace(id, Point{item->layout().body.width(), item->layout().body.height()});
        }
    }
    for (const auto& [id, group] : parts_->scene.groups().all()) {
        const QSizeF size = parts_->scene.node(id)->layout().body.size();
        sizes.emplace(id, Point{size.width(), size.height()});
    }
    return sizes;
}

CanvasSizes GraphView::canvasSizes() const {
    return {.nodes = nodeSizes(),
            .ofNew = [&look = parts_->scene.look(), &catalog = parts_->model.catalog()](
                         const NodeDesc& desc) { return sizeOfNew(desc, catalog, look); }};
}

NodeSizes GraphView::wantedNodeSizes() const {
    NodeSizes sizes = nodeSizes();
    for (auto& [id, size] : sizes) {
        size.x = parts_->scene.node(id)->wantedWidth();
    }
    return sizes;
}

void GraphView::reveal(const std::string& node, const std::string& item) {
    NodeItem* found = parts_->scene.shownNode(node);
    if (found == nullptr) {
        return;
    }
    const bool isFoldedAway = found->id() != node && !item.empty();
    if (NodeItem* before = parts_->scene.node(parts_->markedNode); before != nullptr) {
        before->setMarked({});
    }
    parts_->scene.select({found->id()});
    found->setMarked(isFoldedAway ? nameInGroup({node, item}) : item);
    parts_->markedNode = found->id();
    parts_->navigation.reveal(found->bodyInScene());
}

void GraphView::pointOut(const std::optional<graph::PortRef>& taker) {
    parts_->taker = taker;
    viewport()->update();
}

ViewNavigation& GraphView::navigation() {
    return parts_->navigation;
}

CanvasElements& GraphView::elements() {
    return *parts_->elements;
}

void GraphView::Parts::moveEditors() {
    rows.reposition();
    texts.reposition();
}

void GraphView::scrollContentsBy(int dx, int dy) {
    QGraphicsView::scrollContentsBy(dx, dy);
    if (parts_->showsFocus) {
        viewport()->update();  // the focus ring does not scroll
    }
    parts_->navigation.minimap().viewMoved();
    parts_->moveEditors();
}

void GraphView::drawBackground(QPainter* painter, const QRectF& rect) {
    const Look& look = parts_->scene.look();
    const double zoom = parts_->navigation.zoom();
    painter->fillRect(rect, look.canvas);
    double step = kDotStep;
    while (step * zoom < kLeastDotPixels) {
        step *= 4;
    }
    std::vector<QRectF> dots;  // filled squares: round points are stroked one by one
    const double side = kDotPixels / zoom;
    const double left = std::floor(rect.left() / step) * step;
    const double top = std::floor(rect.top() / step) * step;
    for (double x = left; x <= rect.right() + step; x += step) {
        for (double y = top; y <= rect.bottom() + step; y += step) {
            dots.emplace_back(x, y, side, side);
        }
    }
    painter->setPen(Qt::NoPen);
    painter->setBrush(look.grid);
    painter->setRenderHint(QPainter::Antialiasing, false);
    painter->drawRects(dots.data(), static_cast<int>(dots.size()));
}

void GraphView::drawForeground(QPainter* painter, const QRectF&) {
    painter->setRenderHint(QPainter::Antialiasing);
    if (parts_->gesture) {
        parts_->gesture->paint(*painter, parts_->navigation.zoom());
    }
    parts_->paintLooseWire(*painter);
    if (parts_->showsBypass) {
        paintBypass(*painter, parts_->scene, parts_->bypassable());
    }
    parts_->paintOfferedWire(*painter);
    parts_->paintTaker(*painter);
    if (parts_->showsFocus && parts_->scene.selectedItems().isEmpty()) {
        const QTransform before = painter->transform();
        painter->resetTransform();
        paintFocusRing(*painter, viewport()->rect(), 0);
        painter->setTransform(before);
    }
    if (parts_->model.document().nodes.empty() && parts_->scene.boxes().empty()) {
        painter->resetTransform();
        const Look& look = parts_->scene.look();
        painter->setFont(look.bodyFont);
        painter->setPen(look.muted);
        painter->drawText(viewport()->rect(),
                          Qt::AlignCenter,
                          tr("Double-click or press Tab to add the first node.\n"
                             "Drop a graph or one of its images to open it."));
    }
}

void GraphView::Parts::openSearch(const PointerAt& at, const std::optional<WireEnd>& held) {
    addAt = at.scene;
    looseWire = held;
    search.openAt(view.viewport()->mapTo(&view, at.viewport),
                  held
                      ? PortWanted{typeAt(*held, model.document(), model.catalog()), held->isOutput}
                      : PortWanted{.type = {}});
    view.viewport()->update();
}

void GraphView::Parts::paintOfferedWire(QPainter& painter) const {
    const std::optional<WireChoice> wire = wiring.current();
    if (wire && scene.node(wire->from.node) != nullptr && scene.node(wire->to.node) != nullptr) {
        paintTentativeWire(painter,
                           scene.portInScene(wire->from, true),
                           scene.portInScene(wire->to, false),
                           scene.look().wire(wire->type).colour);
    }
}

void GraphView::Parts::paintTaker(QPainter& painter) const {
    const NodeItem* item = taker ? scene.shownNode(taker->node) : nullptr;
    if (item == nullptr || !item->isVisible()) {
        return;
    }
    const std::string name = item->face().isGroup ? nameInGroup(*taker) : taker->port;
    const QColor& colour = scene.look().accent;
    QPen pen(colour, kTakerPixels);
    pen.setCosmetic(true);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(item->bodyInScene(), node_measures::kRadius, node_measures::kRadius);
    const int row = item->face().rowIndex(name);
    if (row >= 0 && static_cast<size_t>(row) < item->layout().rows.size()) {
        painter.setBrush(faded(colour, kTakerGround));
        painter.drawRect(item->valueInScene(row));
    } else if (item->face().inputIndex(name) >= 0) {
        painter.drawEllipse(item->inputInScene(name), kTakenPort, kTakenPort);
    } else if (item->face().outputIndex(name) >= 0) {
        painter.drawEllipse(item->outputInScene(name), kTakenPort, kTakenPort);
    }
}

void GraphView::Parts::add(const std::string& type, const std::string& port) {
    const NodeDesc* desc = model.catalog().find(type);
    if (desc == nullptr) {
        return;
    }
    const std::optional<WireEnd> wire = looseWire;
    CanvasSizes sizes = view.canvasSizes();
    QPointF topLeft = addAt;
    if (wire) {  // the port that takes the wire comes to lie where the wire was let go
        topLeft -= QPointF(wire->isOutput ? 0 : sizes.ofNew(*desc).x, kPortDepth);
    }
    if (isSnapping) {
        topLeft = {std::round(topLeft.x() / kGrid) * kGrid,
                   std::round(topLeft.y() / kGrid) * kGrid};
    }
    std::string id;
    model.apply(GraphView::tr("Add %1").arg(QString::fromStdString(desc->label)),
                [&](graph::Document& document) {
                    id = addNodeNear(document, *desc, {topLeft.x(), topLeft.y()}, sizes);
                    if (defaults != nullptr) {
                        defaults->applyTo(document.nodes.at(id), *desc);
                    }
                    if (wire && wire->isOutput) {
                        ui::connect(document, wire->port, {id, port});
                    } else if (wire) {
                        ui::connect(document, {id, port}, wire->port);
                    }
                    connectFreePorts(document, model.catalog(), id, scene.selectedNodes());
                    if (!within.empty()) {
                        moveIntoGroup(document, {id}, within);
                    }
                });
    scene.select({id});
}

void GraphView::Parts::paintLooseWire(QPainter& painter) const {
    if (!looseWire || scene.node(looseWire->port.node) == nullptr) {
        return;
    }
    const QPointF held = scene.portInScene(looseWire->port, looseWire->isOutput);
    paintTentativeWire(
        painter,
        looseWire->isOutput ? held : addAt,
        looseWire->isOutput ? addAt : held,
        scene.look().wire(typeAt(*looseWire, model.document(), model.catalog())).colour);
}

const Group* GraphView::Parts::selectedGroup() const {
    return scene.groups().ofExactly(scene.selectedNodes());
}

void GraphView::Parts::setGroupFolded(const std::string& group, bool isFolded) {
    const NodeSizes sizes = view.wantedNodeSizes();
    model.apply(isFolded ? GraphView::tr("Fold group") : GraphView::tr("Open group"),
                [&](graph::Document& document) { foldGroup(document, group, isFolded, sizes); });
}

void GraphView::Parts::showPath() {
    const Groups& groups = scene.groups();
    const NodeIds selected = scene.selectedNodes();
    if (!selected.empty()) {
        within = groups.commonOf(selected);
    }
    const auto isOpen = [&groups](const std::string& id) {
        const Group* group = groups.find(id);
        return group != nullptr && !group->isFolded && groups.shownAs(id) == id;
    };
    while (!within.empty() && !isOpen(within)) {
        within = std::string(groups.of(within));
    }
    std::vector<std::pair<std::string, QString>> path;
    for (std::string id = within; !id.empty(); id = groups.of(id)) {
        path.emplace(path.begin(), id, QString::fromStdString(groups.find(id)->title));
    }
    breadcrumbs.showPath(path);
}

void GraphView::Parts::leaveTo(const std::string& group) {
    const Groups& groups = scene.groups();
    std::string inner = within;
    if (inner == group) {
        const BoxItem* frame = scene.groupFrames().at(group);
        navigation.jumpTo(frame->shownRect());
        return;
    }
    while (!inner.empty() && groups.of(inner) != group) {
        inner = std::string(groups.of(inner));
    }
    if (!inner.empty()) {
        setGroupFolded(inner, true);
        view.reveal(inner);
    }
}

}  // namespace lowtide::ui
