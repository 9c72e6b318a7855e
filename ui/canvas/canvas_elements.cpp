#include "ui/canvas/canvas_elements.hpp"

#include "ui/access/announce.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/canvas/run_order.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kBetweenStatuses = 1000;  ///< milliseconds

BoxKind boxKindOf(const ElementKey& key) {
    return key.kind == ElementKind::Frame ? BoxKind::Frame : BoxKind::Note;
}

void tell(QAccessibleInterface* element, QAccessible::Event what) {
    QAccessibleEvent event(element, what);
    tellAccess(event);
}

}  // namespace

CanvasElements::CanvasElements(GraphView& view, GraphScene& scene, NodeStatuses& statuses)
    : QObject(&view), view_(view), scene_(scene) {
    soon_.setSingleShot(true);
    soon_.setInterval(kBetweenStatuses);
    connect(&scene.model(), &GraphModel::changed, this, &CanvasElements::take);
    connect(&scene, &QGraphicsScene::selectionChanged, this, &CanvasElements::takeSelection);
    connect(&statuses, &NodeStatuses::changed, this, [this](const std::string& node) {
        if (!told_.empty()) {
            waiting_.insert(node);
            if (!soon_.isActive()) {
                soon_.start();
            }
        }
    });
    connect(&statuses, &NodeStatuses::allChanged, this, [this] {
        for (const auto& [key, told] : told_) {
            waiting_.insert(key.owner);
        }
        if (!waiting_.empty() && !soon_.isActive()) {
            soon_.start();
        }
    });
    connect(&soon_, &QTimer::timeout, this, [this] {
        forgetGone();  // pictures
        for (const std::string& node : std::exchange(waiting_, {})) {
            tellNode(node);
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
    for (const std::string& id : runOrder(scene_.model().document())) {
        if (const NodeItem* item = scene_.node(id); item != nullptr && item->isVisible()) {
            top_->push_back({ElementKind::Node, id, {}});
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
        case ElementKind::Picture:
            return !item->layout().picture.isNull();
        case ElementKind::Wire:
            return scene_.wires().into({key.owner, key.item}) != nullptr;
        default:
            return true;
    }
}

QAccessibleInterface* CanvasElements::at(const ElementKey& key) {
    if (const auto found = told_.find(key); found != told_.end()) {
        return QAccessible::accessibleInterface(found->second.id);
    }
    if (!isThere(key)) {
        return nullptr;
    }
    CanvasElement* element = makeElement(*this, key).release();  // Qt's from here on
    told_[key] = {.id = QAccessible::registerAccessibleInterface(element),
                  .name = element->name(),
                  .description = element->description(),
                  .value = element->value()};
    return element;
}

std::optional<ElementKey> CanvasElements::current() const {
    const std::set<std::string> selected = scene_.selectedNodes();
    return selected.size() == 1
               ? std::optional(ElementKey{ElementKind::Node, *selected.begin(), {}})
               : std::nullopt;
}

void CanvasElements::tellFocus() {
    const std::optional<ElementKey> key = current();
    if (QAccessibleInterface* element = key ? at(*key) : nullptr; element != nullptr) {
        tell(element, QAccessible::Focus);
    }
}

void CanvasElements::take(const Delta& delta) {
    top_.reset();
    if (!isListenedTo()) {
        forgetAll();
        return;
    }
    if (delta.reset) {
        forgetAll();
        if (QAccessibleInterface* canvas = QAccessible::queryAccessibleInterface(&view_)) {
            tell(canvas, QAccessible::ObjectReorder);
        }
        return;
    }
    forgetGone();
    for (const std::string& node : delta.added) {
        if (QAccessibleInterface* element = at({ElementKind::Node, node, {}})) {
            tell(element, QAccessible::ObjectCreated);
        }
    }
    if (delta.links) {
        tellRewired();
    }
    if (delta.frames || delta.notes || !delta.moved.empty()) {
        tellBoxes();
    }
    for (const std::string& node : delta.changed) {
        tellNode(node);
    }
}

void CanvasElements::takeSelection() {
    if (!isListenedTo()) {
        return;
    }
    const std::set<std::string> before = std::exchange(selected_, scene_.selectedNodes());
    const auto tellOthers = [this](const std::set<std::string>& of,
                                   const std::set<std::string>& than,
                                   QAccessible::Event what) {
        for (const std::string& node : of) {
            QAccessibleInterface* element =
                than.contains(node) ? nullptr : at({ElementKind::Node, node, {}});
            if (element != nullptr) {
                tell(element, what);
            }
        }
    };
    tellOthers(before, selected_, QAccessible::SelectionRemove);
    tellOthers(selected_, before, QAccessible::SelectionAdd);
    if (view_.hasFocus()) {
        tellFocus();
    }
}

void CanvasElements::tellNode(const std::string& node) {
    const ElementKey picture{ElementKind::Picture, node, {}};
    const bool isFirst = !told_.contains(picture) && told_.contains({ElementKind::Node, node, {}});
    if (QAccessibleInterface* element = isFirst ? at(picture) : nullptr; element != nullptr) {
        tell(element, QAccessible::ObjectCreated);
    }
    for (auto& [key, told] : told_) {
        if (key.owner == node) {
            tellChanges(key, told);
        }
    }
}

/// Ports say what they are wired to: those of both ends of each wire that came or went.
void CanvasElements::tellRewired() {
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
        nodes.insert(from.node);
        nodes.insert(to.node);
    }
    for (const std::string& node : nodes) {
        tellNode(node);
    }
}

void CanvasElements::tellBoxes() {
    for (auto& [key, told] : told_) {
        if (key.kind == ElementKind::Frame || key.kind == ElementKind::Note) {
            tellChanges(key, told);
        }
    }
}

void CanvasElements::tellChanges(const ElementKey& key, Told& told) {
    if (!isThere(key)) {
        return;
    }
    auto* element = static_cast<CanvasElement*>(QAccessible::accessibleInterface(told.id));
    if (const QString name = element->name(); std::exchange(told.name, name) != name) {
        tell(element, QAccessible::NameChanged);
    }
    const QString description = element->description();
    if (std::exchange(told.description, description) != description) {
        tell(element, QAccessible::DescriptionChanged);
    }
    const QString value = element->value();
    if (const QString before = std::exchange(told.value, value); before != value) {
        element->tellValue(before);
    }
}

void CanvasElements::forgetGone() {
    std::vector<ElementKey> gone;
    for (const auto& [key, told] : told_) {
        if (!isThere(key)) {
            gone.push_back(key);
        }
    }
    for (const ElementKey& key : gone) {
        forget(key);
    }
}

void CanvasElements::forget(const ElementKey& key) {
    const auto found = told_.find(key);
    leaving_ = key;
    tell(QAccessible::accessibleInterface(found->second.id), QAccessible::ObjectDestroyed);
    leaving_.reset();
    QAccessible::deleteAccessibleInterface(found->second.id);
    told_.erase(found);
}

void CanvasElements::forgetAll() {
    for (const auto& [key, told] : std::exchange(told_, {})) {
        QAccessible::deleteAccessibleInterface(told.id);
    }
}

}  // namespace lowtide::ui
