// What lies on the canvas, for assistive technology: titles that all share, frames and notes, nodes
// and their images.
#include "ui/canvas/canvas_element.hpp"

#include "ui/canvas/canvas_elements.hpp"
#include "ui/canvas/canvas_tips.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/canvas/node_face.hpp"
#include "ui/canvas/node_layout.hpp"
#include "ui/language/language.hpp"

#include <QCoreApplication>

#include <algorithm>

namespace lowtide::ui {

namespace {

class ElementWords {
    Q_DECLARE_TR_FUNCTIONS(ElementWords)
};

class BoxElement : public CanvasElement {
public:
    using CanvasElement::CanvasElement;

    [[nodiscard]] QAccessible::Role role() const override {
        return isFrame() ? QAccessible::Grouping : QAccessible::Note;
    }

    [[nodiscard]] QString name() const override {
        const QString text = QString::fromStdString(box().box().text);
        return !text.isEmpty() ? text : isFrame() ? GraphView::tr("Frame") : GraphView::tr("Note");
    }

    /// Which nodes lie in a frame.
    [[nodiscard]] QString description() const override {
        QStringList members;
        for (const NodeItem* member :
             isFrame() ? scene().membersOf(box()) : std::vector<NodeItem*>()) {
            members << member->face().title;
        }
        return members.isEmpty() ? QString() : GraphView::tr("Holds %1").arg(listed(members));
    }

    [[nodiscard]] QAccessible::State state() const override {
        QAccessible::State state = CanvasElement::state();
        if (!state.invisible) {
            state.selectable = true;
            state.selected = box().isSelected();
            state.expandable = isFrame();
            state.collapsed = isFrame() && box().box().isCollapsed;
            state.expanded = isFrame() && !state.collapsed;
        }
        return state;
    }

protected:
    [[nodiscard]] std::vector<ElementAction> actions() const override {
        const auto command = [&all = all(), key = key()](const char* id) {
            return [&all, key, id] {
                all.selectBox(key);
                all.view().invoke(id);
            };
        };
        std::vector<ElementAction> actions = {
            {pressAction(),
             GraphView::tr("Select"),
             [&all = all(), key = key()] {
                 all.selectBox(key);
                 all.view().setFocus(Qt::OtherFocusReason);
             }},
            {QStringLiteral("edit"), GraphView::tr("Edit text"), command("node.rename")},
            {QStringLiteral("delete"), GraphView::tr("Delete"), command("edit.delete")}};
        if (isFrame()) {
            actions.push_back(
                {QStringLiteral("collapse"),
                 box().box().isCollapsed ? GraphView::tr("Expand") : GraphView::tr("Collapse"),
                 [&all = all(), id = key().owner] { all.toggleFrame(id); }});
        }
        return actions;
    }

    [[nodiscard]] QRectF sceneRect() const override { return box().shownRect(); }

private:
    [[nodiscard]] bool isFrame() const { return key().kind == ElementKind::Frame; }

    [[nodiscard]] BoxItem& box() const {
        return *scene().box(isFrame() ? BoxKind::Frame : BoxKind::Note, key().owner);
    }
};

class NodeElement : public CanvasElement {
public:
    using CanvasElement::CanvasElement;

    [[nodiscard]] QAccessible::Role role() const override { return QAccessible::ListItem; }

    [[nodiscard]] QString name() const override { return node().face().title; }

    [[nodiscard]] QString description() const override {
        return linesOf({activityText(node().status()), nodeTip(node().face(), node().status())});
    }

    [[nodiscard]] QAccessible::State state() const override {
        QAccessible::State state = CanvasElement::state();
        if (state.invisible) {
            return state;
        }
        state.selectable = true;
        state.multiSelectable = true;
        state.selected = node().isSelected();
        state.focused = view().hasFocus() && all().current() == key();
        state.expandable = true;
        state.collapsed = node().face().isCollapsed;
        state.expanded = !state.collapsed;
        state.busy = node().status().activity == NodeActivity::Running;
        state.invalid = issuesOf(node().status().issues).worst == Severity::Error;
        return state;
    }

protected:
    [[nodiscard]] std::vector<ElementKey> children() const override {
        const NodeFace& face = node().face();
        std::vector<ElementKey> keys;
        const auto add = [&](ElementKind kind, const std::string& item) {
            if (const ElementKey key{kind, face.id, item}; all().isThere(key)) {
                keys.push_back(key);
            }
        };
        for (const PortFace& port : face.inputs) {
            add(ElementKind::Input, port.id);
        }
        for (const RowFace& row : face.rows) {
            add(ElementKind::Row, row.param);
        }
        add(ElementKind::Image, {});
        for (const PortFace& port : face.outputs) {
            add(ElementKind::Output, port.id);
        }
        return keys;
    }

    [[nodiscard]] std::vector<ElementAction> actions() const override {
        GraphView& canvas = view();
        const std::string id = key().owner;
        const auto selected = [&canvas, id](auto act) {
            return [&canvas, id, act] {
                canvas.reveal(id);
                act();
            };
        };
        const auto command = [&](const char* name) {
            return selected([&canvas, name] { canvas.invoke(name); });
        };
        const auto focus = selected([&canvas] { canvas.setFocus(Qt::OtherFocusReason); });
        return {{pressAction(), GraphView::tr("Select"), focus},
                {setFocusAction(), GraphView::tr("Select"), focus},
                {showMenuAction(), GraphView::tr("Show menu"), selected([&all = all()] {
                     all.showMenu();
                 })},
                {QStringLiteral("edit"), GraphView::tr("Edit values"), command("node.edit")},
                {QStringLiteral("wire"), GraphView::tr("Connect"), command("node.wire")},
                {QStringLiteral("runToHere"),
                 GraphView::tr("Run to here"),
                 [&canvas, id] { Q_EMIT canvas.runToRequested(id); }},
                {QStringLiteral("rename"), GraphView::tr("Rename"), command("node.rename")},
                {QStringLiteral("collapse"),
                 node().face().isCollapsed ? GraphView::tr("Expand") : GraphView::tr("Collapse"),
                 command("node.collapse")},
                {QStringLiteral("delete"), GraphView::tr("Delete"), command("edit.delete")}};
    }

    [[nodiscard]] QRectF sceneRect() const override { return node().bodyInScene(); }
};

class ImageElement : public CanvasElement, public QAccessibleImageInterface {
public:
    using CanvasElement::CanvasElement;

    [[nodiscard]] QAccessible::Role role() const override { return QAccessible::Graphic; }

    [[nodiscard]] QString name() const override {
        return node().status().step ? GraphView::tr("Preview of %1").arg(node().face().title)
                                    : GraphView::tr("Image of %1").arg(node().face().title);
    }

    [[nodiscard]] QString description() const override {
        const QSize size = imageSize();
        return GraphView::tr("%1 x %2 pixels").arg(size.width()).arg(size.height());
    }

    void* interface_cast(QAccessible::InterfaceType type) override {
        return type == QAccessible::ImageInterface ? static_cast<QAccessibleImageInterface*>(this)
                                                   : CanvasElement::interface_cast(type);
    }

    [[nodiscard]] QString imageDescription() const override { return name(); }

    [[nodiscard]] QSize imageSize() const override {
        const NodeStatus& status = node().status();
        return status.shownSize.isEmpty() ? status.nodeImage.size() : status.shownSize;
    }

    [[nodiscard]] QPoint imagePosition() const override { return rect().topLeft(); }

protected:
    [[nodiscard]] std::vector<ElementAction> actions() const override {
        GraphView& canvas = view();
        return {{pressAction(), GraphView::tr("Show in the viewer"), [&canvas, id = key().owner] {
                     Q_EMIT canvas.imageActivated(id);
                 }}};
    }

    [[nodiscard]] QRectF sceneRect() const override {
        return node().layout().nodeImage.translated(node().pos());
    }
};

}  // namespace

QString nodeName(const GraphScene& scene, const std::string& node) {
    const NodeItem* item = scene.node(node);
    return item == nullptr ? QString::fromStdString(node) : item->face().title;
}

QString portName(const GraphScene& scene, const graph::PortRef& port, bool isOutput) {
    const NodeItem* item = scene.node(port.node);
    const std::vector<PortFace>* ports = item == nullptr ? nullptr
                                         : isOutput      ? &item->face().outputs
                                                         : &item->face().inputs;
    const int index = ports == nullptr ? -1
                      : isOutput       ? item->face().outputIndex(port.port)
                                       : item->face().inputIndex(port.port);
    return index < 0 ? QString::fromStdString(port.port)
                     : ports->at(static_cast<size_t>(index)).label;
}

QString endName(const GraphScene& scene, const graph::PortRef& port, bool isOutput) {
    return ElementWords::tr("%1, %2", "node, port")
        .arg(nodeName(scene, port.node), portName(scene, port, isOutput));
}

QString activityText(const NodeStatus& status) {
    switch (status.activity) {
        case NodeActivity::Waiting:
            return ElementWords::tr("Waits for its turn.");
        case NodeActivity::Running:
            return status.phase.isEmpty() ? ElementWords::tr("Running.")
                                          : ElementWords::tr("Running: %1.").arg(status.phase);
        case NodeActivity::Finished:
            return status.milliseconds > 0
                       ? ElementWords::tr("Finished in %1.").arg(shortDuration(status.milliseconds))
                       : ElementWords::tr("Finished.");
        case NodeActivity::Cached:
            return ElementWords::tr("Up to date: its result was kept.");
        case NodeActivity::Failed:
            return ElementWords::tr("Failed.");
        case NodeActivity::Idle:
            break;
    }
    return {};
}

QString linesOf(const QStringList& parts) {
    QStringList kept = parts;
    kept.removeAll(QString());
    return kept.join(u'\n');
}

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

void CanvasElement::announceValue(const QString&) {}

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
        case ElementKind::Image:
            return makeImageElement(all, key);
        case ElementKind::Wire:
            return makeWireElement(all, key);
        case ElementKind::Frame:
        case ElementKind::Note:
            return makeBoxElement(all, key);
    }
    return nullptr;
}

std::unique_ptr<CanvasElement> makeBoxElement(CanvasElements& all, const ElementKey& key) {
    return std::make_unique<BoxElement>(all, key);
}

std::unique_ptr<CanvasElement> makeNodeElement(CanvasElements& all, const ElementKey& key) {
    return std::make_unique<NodeElement>(all, key);
}

std::unique_ptr<CanvasElement> makeImageElement(CanvasElements& all, const ElementKey& key) {
    return std::make_unique<ImageElement>(all, key);
}

}  // namespace lowtide::ui
