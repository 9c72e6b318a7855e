#include "ui/canvas/canvas_elements.hpp"

#include "ui/access/announce.hpp"
#include "ui/canvas/graph_view_parts.hpp"
#include "ui/document/layers.hpp"
#include "ui/language/language.hpp"

#include <QAccessibleWidget>
#include <QMenu>

#include <algorithm>
#include <iterator>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kBetweenStatuses = 1000;  ///< milliseconds

BoxKind boxKindOf(const ElementKey& key) {
    return key.kind == ElementKind::Frame ? BoxKind::Frame : BoxKind::Note;
}

void announce(QAccessibleInterface* element, QAccessible::Event what) {
    QAccessibleEvent event(element, what);
    announceAccess(event);
}

/// The elements first, so that a node's position is that in the run, then editors and lists that
/// lie over the canvas.
class CanvasAccess : public QAccessibleWidget {
public:
    explicit CanvasAccess(GraphView& view)
        : QAccessibleWidget(&view, QAccessible::List), elements_(&view.elements()) {}

    [[nodiscard]] QString text(QAccessible::Text text) const override {
        if (text != QAccessible::Description || !elements_) {
            return QAccessibleWidget::text(text);
        }
        const graph::Document& document = elements_->scene().model().document();
        return listed(
            {GraphView::tr("%n node(s)", nullptr, static_cast<int>(document.nodes.size())),
             GraphView::tr("%n wire(s)", nullptr, static_cast<int>(document.links.size()))});
    }

    [[nodiscard]] int childCount() const override {
        return own() + QAccessibleWidget::childCount();
    }

    [[nodiscard]] QAccessibleInterface* child(int index) const override {
        return index >= 0 && index < own()
                   ? elements_->at(elements_->top()[static_cast<size_t>(index)])
                   : QAccessibleWidget::child(index - own());
    }

    [[nodiscard]] int indexOfChild(const QAccessibleInterface* child) const override {
        if (const auto* element = dynamic_cast<const CanvasElement*>(child)) {
            const std::vector<ElementKey>& top = elements_->top();
            const auto found = std::find(top.begin(), top.end(), element->key());
            return found == top.end() ? -1 : static_cast<int>(found - top.begin());
        }
        const int index = QAccessibleWidget::indexOfChild(child);
        return index < 0 ? index : own() + index;
    }

    [[nodiscard]] QAccessibleInterface* childAt(int x, int y) const override {
        for (int i = 0; i < own(); ++i) {
            QAccessibleInterface* each = child(i);
            if (each != nullptr && each->rect().contains(x, y)) {
                return each;
            }
        }
        return QAccessibleWidget::childAt(x, y);
    }

    [[nodiscard]] QAccessibleInterface* focusChild() const override {
        const std::optional<ElementKey> current =
            elements_ && widget()->hasFocus() ? elements_->current() : std::nullopt;
        return current ? elements_->at(*current) : QAccessibleWidget::focusChild();
    }

    [[nodiscard]] QAccessible::State state() const override {
        QAccessible::State state = QAccessibleWidget::state();
        state.multiSelectable = true;
        return state;
    }

    [[nodiscard]] QStringList actionNames() const override {
        return QStringList{showMenuAction(), QStringLiteral("addNode")} +
               QAccessibleWidget::actionNames();
    }

    [[nodiscard]] QString localizedActionName(const QString& name) const override {
        return name == QLatin1String("addNode") ? GraphView::tr("Add a node")
                                                : QAccessibleWidget::localizedActionName(name);
    }

    void doAction(const QString& name) override {
        if (elements_ && name == QLatin1String("addNode")) {
            elements_->view().invoke("node.add");
        } else if (elements_ && name == showMenuAction()) {
            elements_->showMenu();
        } else {
            QAccessibleWidget::doAction(name);
        }
    }

private:
    [[nodiscard]] int own() const {
        return elements_ ? static_cast<int>(elements_->top().size()) : 0;
    }

    QPointer<CanvasElements> elements_;
};

QAccessibleInterface* accessOfCanvas(const QString&, QObject* object) {
    auto* view = qobject_cast<GraphView*>(object);
    return view == nullptr ? nullptr : new CanvasAccess(*view);
}

constexpr int kBelowPort = 8;

/// The title of the selected node, or of the first selected frame or note; empty: the canvas.
CanvasHit selectedHit(const GraphScene& scene) {
    CanvasHit hit;
    if (const NodeIds ids = scene.selectedNodes(); !ids.empty()) {
        hit.node = scene.shownNode(*ids.begin());
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

std::vector<std::string> runOrder(const graph::Document& document) {
    std::map<std::string, size_t> numberOf;
    std::vector<std::string> ids;
    for (const auto& [id, node] : document.nodes) {
        numberOf[id] = ids.size();
        ids.push_back(id);
    }
    std::vector<Edge> edges;
    for (const graph::Link& link : document.links) {
        if (numberOf.contains(link.from.node) && numberOf.contains(link.to.node)) {
            edges.emplace_back(numberOf[link.from.node], numberOf[link.to.node]);
        }
    }
    std::vector<std::string> order;
    for (const size_t number : topologicalOrder(ids.size(), edges)) {
        order.push_back(ids[number]);
    }
    return order;
}

CanvasElements::CanvasElements(GraphView::Parts& parts)
    : QObject(&parts.view), parts_(parts), view_(parts.view), scene_(parts.scene) {
    soon_.setSingleShot(true);
    soon_.setInterval(kBetweenStatuses);
    connect(&scene_.model(), &GraphModel::changed, this, &CanvasElements::take);
    connect(&scene_, &QGraphicsScene::selectionChanged, this, &CanvasElements::takeSelection);
    connect(&parts.statuses, &NodeStatuses::changed, this, [this](const std::string& node) {
        if (!reported_.empty()) {
            waiting_.insert(scene_.groups().shownAs(node));
            if (!soon_.isActive()) {
                soon_.start();
            }
        }
    });
    connect(&parts.statuses, &NodeStatuses::allChanged, this, [this] {
        for (const auto& [key, reported] : reported_) {
            waiting_.insert(key.owner);
        }
        if (!waiting_.empty() && !soon_.isActive()) {
            soon_.start();
        }
    });
    connect(&soon_, &QTimer::timeout, this, [this] {
        forgetGone();  // images
        for (const std::string& node : std::exchange(waiting_, {})) {
            announceNode(node);
        }
    });
}

CanvasElements::~CanvasElements() {
    forgetAll();
}

const std::vector<ElementKey>& CanvasElements::top() const {
    if (top_) {
        return *top_;
    }
    top_.emplace();
    const std::vector<std::string> order =
        runOrder(shownGraph(scene_.model().document(), scene_.groups(), {}));
    for (const std::string& id : order) {
        if (const NodeItem* item = scene_.node(id); item != nullptr && item->isVisible()) {
            top_->push_back({ElementKind::Node, id, {}});
        }
    }
    for (const auto& [id, frame] : scene_.groupFrames()) {
        if (frame->isVisible()) {
            top_->push_back({ElementKind::Group, id, {}});
        }
    }
    for (const BoxKind kind : {BoxKind::Frame, BoxKind::Note}) {
        for (const BoxItem* box : scene_.boxes()) {
            if (box->kind() == kind) {
                top_->push_back({kind == BoxKind::Frame ? ElementKind::Frame : ElementKind::Note,
                                 box->box().id,
                                 {}});
            }
        }
    }
    return *top_;
}

bool CanvasElements::isThere(const ElementKey& key) const {
    if (key.kind == ElementKind::Frame || key.kind == ElementKind::Note) {
        return scene_.box(boxKindOf(key), key.owner) != nullptr;
    }
    if (key.kind == ElementKind::Group) {
        const auto frame = scene_.groupFrames().find(key.owner);
        return frame != scene_.groupFrames().end() && frame->second->isVisible();
    }
    const NodeItem* item = scene_.node(key.owner);
    if (item == nullptr || !item->isVisible()) {
        return false;
    }
    switch (key.kind) {
        case ElementKind::Input:
            return item->face().inputIndex(key.item) >= 0;
        case ElementKind::Output:
            return item->face().outputIndex(key.item) >= 0;
        case ElementKind::Row:
            return item->face().rowIndex(key.item) >= 0 && !item->layout().rows.empty();
        case ElementKind::Image:
            return !item->layout().nodeImage.isNull();
        case ElementKind::Wire: {
            const int index = item->face().inputIndex(key.item);
            const auto& inputs = item->face().inputs;
            return index >= 0 &&
                   scene_.wires().into(inputs[static_cast<size_t>(index)].ref) != nullptr;
        }
        default:
            return true;
    }
}

QAccessibleInterface* CanvasElements::at(const ElementKey& key) {
    if (const auto found = reported_.find(key); found != reported_.end()) {
        return QAccessible::accessibleInterface(found->second.id);
    }
    if (!isThere(key)) {
        return nullptr;
    }
    auto* element = new CanvasElement(*this, key);
    const QAccessible::Id id = QAccessible::registerAccessibleInterface(element);  // now Qt's
    reported_[key] = {.id = id, .face = element->face()};
    return element;
}

std::optional<ElementKey> CanvasElements::current() const {
    const NodeItem* selected = scene_.onlySelected();
    return selected != nullptr ? std::optional(ElementKey{ElementKind::Node, selected->id(), {}})
                               : std::nullopt;
}

void CanvasElements::announceFocus() {
    const std::optional<ElementKey> key = current();
    if (QAccessibleInterface* element = key ? at(*key) : nullptr; element != nullptr) {
        announce(element, QAccessible::Focus);
    }
}

void CanvasElements::take(const Delta& delta) {
    top_.reset();
    if (!isListenedTo()) {
        forgetAll();
        return;
    }
    if (delta.reset || delta.groups) {  // other things lie on the canvas
        forgetAll();
        if (QAccessibleInterface* canvas = QAccessible::queryAccessibleInterface(&view_)) {
            announce(canvas, QAccessible::ObjectReorder);
        }
        if (view_.hasFocus()) {  // what had it before is another element now
            announceFocus();
        }
        return;
    }
    forgetGone();
    for (const std::string& node : delta.added) {
        if (QAccessibleInterface* element = at({ElementKind::Node, node, {}})) {
            announce(element, QAccessible::ObjectCreated);
        }
    }
    if (delta.links) {
        announceRewired();
    }
    if (delta.frames || delta.notes || !delta.moved.empty()) {
        announceBoxes();
    }
    for (const std::string& node : delta.changed) {
        announceNode(scene_.groups().shownAs(node));
    }
}

void CanvasElements::takeSelection() {
    if (!isListenedTo()) {
        return;
    }
    std::set<std::string> shown;
    for (const std::string& node : scene_.selectedNodes()) {
        shown.insert(scene_.groups().shownAs(node));
    }
    const std::set<std::string> before = std::exchange(selected_, std::move(shown));
    const auto announceOthers = [this](const std::set<std::string>& of,
                                       const std::set<std::string>& than,
                                       QAccessible::Event what) {
        for (const std::string& node : of) {
            QAccessibleInterface* element =
                than.contains(node) ? nullptr : at({ElementKind::Node, node, {}});
            if (element != nullptr) {
                announce(element, what);
            }
        }
    };
    announceOthers(before, selected_, QAccessible::SelectionRemove);
    announceOthers(selected_, before, QAccessible::SelectionAdd);
    if (view_.hasFocus()) {
        announceFocus();
    }
}

void CanvasElements::announceNode(const std::string& node) {
    const ElementKey image{ElementKind::Image, node, {}};
    const bool isFirst =
        !reported_.contains(image) && reported_.contains({ElementKind::Node, node, {}});
    if (QAccessibleInterface* element = isFirst ? at(image) : nullptr; element != nullptr) {
        announce(element, QAccessible::ObjectCreated);
    }
    for (auto& [key, reported] : reported_) {
        if (key.owner == node) {
            announceChanges(key, reported);
        }
    }
}

/// Ports describe what they are wired to: reports both ends of each wire that came or went.
void CanvasElements::announceRewired() {
    std::set<std::pair<graph::PortRef, graph::PortRef>> now;
    for (const graph::Link& link : scene_.model().document().links) {
        now.emplace(link.from, link.to);
    }
    std::vector<std::pair<graph::PortRef, graph::PortRef>> others;
    std::set_symmetric_difference(
        wires_.begin(), wires_.end(), now.begin(), now.end(), std::back_inserter(others));
    wires_ = std::move(now);
    std::set<std::string> nodes;
    for (const auto& [from, to] : others) {
        nodes.insert(scene_.groups().shownAs(from.node));
        nodes.insert(scene_.groups().shownAs(to.node));
    }
    for (const std::string& node : nodes) {
        announceNode(node);
    }
}

void CanvasElements::announceBoxes() {
    for (auto& [key, reported] : reported_) {
        if (key.kind == ElementKind::Frame || key.kind == ElementKind::Note) {
            announceChanges(key, reported);
        }
    }
}

void CanvasElements::announceChanges(const ElementKey& key, Reported& reported) {
    if (!isThere(key)) {
        return;
    }
    auto* element = static_cast<CanvasElement*>(QAccessible::accessibleInterface(reported.id));
    const ElementFace before = std::exchange(reported.face, element->face());
    if (reported.face.name != before.name) {
        announce(element, QAccessible::NameChanged);
    }
    if (reported.face.description != before.description) {
        announce(element, QAccessible::DescriptionChanged);
    }
    if (reported.face.value != before.value) {
        element->announceValue(before.value);
    }
}

void CanvasElements::forgetGone() {
    std::vector<ElementKey> gone;
    for (const auto& [key, reported] : reported_) {
        if (!isThere(key)) {
            gone.push_back(key);
        }
    }
    for (const ElementKey& key : gone) {
        forget(key);
    }
}

void CanvasElements::forget(const ElementKey& key) {
    const auto found = reported_.find(key);
    leaving_ = key;
    announce(QAccessible::accessibleInterface(found->second.id), QAccessible::ObjectDestroyed);
    leaving_.reset();
    QAccessible::deleteAccessibleInterface(found->second.id);
    reported_.erase(found);
}

void CanvasElements::forgetAll() {
    for (const auto& [key, reported] : std::exchange(reported_, {})) {
        QAccessible::deleteAccessibleInterface(reported.id);
    }
}

void CanvasElements::showMenu() {
    const CanvasHit hit = selectedHit(scene_);
    const QRectF area = hit.node != nullptr  ? hit.node->bodyInScene()
                        : hit.box != nullptr ? hit.box->shownRect()
                                             : QRectF();
    const QPoint at = area.isNull()
                          ? view_.viewport()->rect().center()
                          : view_.mapFromScene(area.topLeft() + QPointF(0, node_measures::kHeader));
    canvasMenu(parts_, hit)->popup(view_.viewport()->mapToGlobal(at));
}

void CanvasElements::editValue(const ElementKey& row) {
    view_.reveal(row.owner, row.item);
    parts_.rows.begin(row.owner, row.item);
}

void CanvasElements::wirePort(const graph::PortRef& port, bool isOutput) {
    view_.reveal(port.node, port.port);
    if (scene_.node(port.node) == nullptr) {
        return;
    }
    const QPointF end = scene_.portInScene(port, isOutput);
    parts_.wiring.openAt(
        view_.viewport()->mapTo(&view_, view_.mapFromScene(end) + QPoint(0, kBelowPort)),
        port.node,
        OwnPort{port.port, isOutput});
}

void CanvasElements::removeWire(const graph::PortRef& to) {
    scene_.model().apply(GraphView::tr("Delete"),
                         [&](graph::Document& document) { ui::disconnect(document, to); });
}

void CanvasElements::selectWire(const graph::PortRef& to) {
    const std::vector<Wire>& wires = scene_.wires().wires();
    for (size_t index = 0; index < wires.size(); ++index) {
        if (wires[index].to == to) {
            scene_.select({});
            parts_.selectedWire = to;
            scene_.wires().setEmphasised({index});
            view_.setFocus(Qt::OtherFocusReason);
            return;
        }
    }
}

void CanvasElements::selectBox(const ElementKey& box) {
    scene_.select({});
    scene_.selectBoxes(boxKindOf(box), {box.owner});
}

void CanvasElements::toggleFrame(const std::string& id) {
    if (const BoxItem* frame = scene_.box(BoxKind::Frame, id); frame != nullptr) {
        parts_.toggleBoxFold(*frame);
    }
}

void installCanvasAccess() {
    QAccessible::installFactory(accessOfCanvas);  // again is nothing
}

}  // namespace lowtide::ui
