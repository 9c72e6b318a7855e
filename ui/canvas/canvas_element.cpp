#include "ui/canvas/canvas_element.hpp"

#include "ui/canvas/canvas_elements.hpp"
#include "ui/canvas/graph_view.hpp"

#include <algorithm>

namespace lowtide::ui {

CanvasElement::CanvasElement(CanvasElements& all, ElementKey key)
    : all_(all), key_(std::move(key)) {}

bool CanvasElement::isValid() const {
    return all_.isThere(key_) || all_.isLeaving(key_);
}

QWindow* CanvasElement::window() const {
    return view().window()->windowHandle();
}

QAccessibleInterface* CanvasElement::parent() const {
    const bool isTop = key_.kind == ElementKind::Node || key_.kind == ElementKind::Frame ||
                       key_.kind == ElementKind::Note;
    return isTop ? QAccessible::queryAccessibleInterface(&view()) : all_.at(parentKey());
}

QAccessibleInterface* CanvasElement::child(int index) const {
    const std::vector<ElementKey> keys =
        all_.isThere(key_) ? children() : std::vector<ElementKey>();
    const auto at = static_cast<size_t>(index);
    return index >= 0 && at < keys.size() ? all_.at(keys[at]) : nullptr;
}

int CanvasElement::childCount() const {
    return all_.isThere(key_) ? static_cast<int>(children().size()) : 0;
}

int CanvasElement::indexOfChild(const QAccessibleInterface* child) const {
    const auto* element = dynamic_cast<const CanvasElement*>(child);
    if (element == nullptr || !all_.isThere(key_)) {
        return -1;
    }
    const std::vector<ElementKey> keys = children();
    const auto found = std::find(keys.begin(), keys.end(), element->key());
    return found == keys.end() ? -1 : static_cast<int>(found - keys.begin());
}

QAccessibleInterface* CanvasElement::childAt(int x, int y) const {
    for (int i = 0; i < childCount(); ++i) {
        QAccessibleInterface* each = child(i);
        if (each->rect().contains(x, y)) {
            return each;
        }
    }
    return nullptr;
}

QString CanvasElement::text(QAccessible::Text text) const {
    if (!all_.isThere(key_)) {
        return {};
    }
    switch (text) {
        case QAccessible::Name:
            return name();
        case QAccessible::Description:
            return description();
        case QAccessible::Value:
            return value();
        default:
            return {};
    }
}

QRect CanvasElement::rect() const {
    if (!all_.isThere(key_)) {
        return {};
    }
    const QRect seen = view().mapFromScene(sceneRect()).boundingRect();
    return {view().viewport()->mapToGlobal(seen.topLeft()), seen.size()};
}

QAccessible::State CanvasElement::state() const {
    QAccessible::State state;
    if (!all_.isThere(key_)) {
        state.invisible = true;
        return state;
    }
    const QRect seen = view().mapFromScene(sceneRect()).boundingRect();
    state.offscreen = !view().viewport()->rect().intersects(seen);
    state.focusable = true;
    return state;
}

void* CanvasElement::interface_cast(QAccessible::InterfaceType type) {
    return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this)
                                                : nullptr;
}

QStringList CanvasElement::actionNames() const {
    QStringList names;
    for (const ElementAction& action :
         all_.isThere(key_) ? actions() : std::vector<ElementAction>()) {
        names << action.id;
    }
    return names;
}

QString CanvasElement::localizedActionName(const QString& name) const {
    for (const ElementAction& action :
         all_.isThere(key_) ? actions() : std::vector<ElementAction>()) {
        if (action.id == name) {
            return action.text;
        }
    }
    return QAccessibleActionInterface::localizedActionName(name);
}

QString CanvasElement::localizedActionDescription(const QString& name) const {
    return localizedActionName(name);
}

void CanvasElement::doAction(const QString& name) {
    for (const ElementAction& action :
         all_.isThere(key_) ? actions() : std::vector<ElementAction>()) {
        if (action.id == name) {
            const std::function<void()> act = action.act;  // may end this element
            act();
            return;
        }
    }
}

void CanvasElement::tellValue(const QString&) {}

GraphScene& CanvasElement::scene() const {
    return all_.scene();
}

GraphView& CanvasElement::view() const {
    return all_.view();
}

NodeItem& CanvasElement::node() const {
    return *scene().node(key_.owner);
}

std::unique_ptr<CanvasElement> makeElement(CanvasElements& all, const ElementKey& key) {
    switch (key.kind) {
        case ElementKind::Node:
            return makeNodeElement(all, key);
        case ElementKind::Input:
        case ElementKind::Output:
            return makePortElement(all, key);
        case ElementKind::Row:
            return makeRowElement(all, key);
        case ElementKind::Picture:
            return makePictureElement(all, key);
        case ElementKind::Wire:
            return makeWireElement(all, key);
        case ElementKind::Frame:
        case ElementKind::Note:
            return makeBoxElement(all, key);
    }
    return nullptr;
}

}  // namespace lowtide::ui
