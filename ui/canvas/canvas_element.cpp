// What lies on the canvas, for assistive technology: nodes with their ports, wires, parameters and
// images, frames and notes.
#include "ui/canvas/canvas_element.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/access/announce.hpp"
#include "ui/canvas/canvas_elements.hpp"
#include "ui/canvas/canvas_tips.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/canvas/node_face.hpp"
#include "ui/canvas/node_layout.hpp"
#include "ui/editors/number_text.hpp"
#include "ui/language/language.hpp"

#include <QCoreApplication>

#include <algorithm>

namespace lowtide::ui {

namespace {

class ElementWords {
    Q_DECLARE_TR_FUNCTIONS(ElementWords)
};

using Actions = std::vector<ElementAction>;
using graph::PortRef;

/// Only while the node is there, as with all that follow.
const NodeItem& nodeOf(const CanvasElements& all, const ElementKey& key) {
    return *all.scene().node(key.owner);
}

/// nullptr: there is none.
const PortFace* portFaceOf(const CanvasElements& all, const ElementKey& key) {
    const NodeItem* node = all.scene().node(key.owner);
    if (node == nullptr) {
        return nullptr;
    }
    const bool isOutput = key.kind == ElementKind::Output;
    const int index =
        isOutput ? node->face().outputIndex(key.item) : node->face().inputIndex(key.item);
    const std::vector<PortFace>& ports = isOutput ? node->face().outputs : node->face().inputs;
    return index < 0 ? nullptr : &ports[static_cast<size_t>(index)];
}

/// In the document.
PortRef portOf(const CanvasElements& all, const ElementKey& key) {
    const PortFace* port = portFaceOf(all, key);
    return port == nullptr ? PortRef{key.owner, key.item} : port->ref;
}

/// A port of the document where the canvas shows it.
ElementKey shownPort(const CanvasElements& all, ElementKind kind, const PortRef& port) {
    const std::string unit = all.scene().groups().shownAs(port.node);
    return {kind, unit, unit == port.node ? port.port : nameInGroup(port)};
}

size_t rowIndexOf(const CanvasElements& all, const ElementKey& key) {
    return static_cast<size_t>(nodeOf(all, key).face().rowIndex(key.item));
}

const RowFace& shownRow(const CanvasElements& all, const ElementKey& key) {
    return nodeOf(all, key).face().rows[rowIndexOf(all, key)];
}

const BoxItem& boxOf(const CanvasElements& all, const ElementKey& key) {
    return *all.scene().box(key.kind == ElementKind::Frame ? BoxKind::Frame : BoxKind::Note,
                            key.owner);
}

/// "Load checkpoint, Model": a port with its node.
QString endName(const CanvasElements& all, const ElementKey& end) {
    const NodeItem* node = all.scene().node(end.owner);
    const PortFace* port = portFaceOf(all, end);
    return ElementWords::tr("%1, %2", "node, port")
        .arg(node == nullptr ? QString::fromStdString(end.owner) : node->face().title,
             port == nullptr ? QString::fromStdString(end.item) : port->label);
}

/// What the node does now, or did in the last run; empty: nothing.
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

/// Those that are not empty, a line each.
QString linesOf(QStringList parts) {
    parts.removeAll(QString());
    return parts.join(u'\n');
}

void describeNode(ElementFace& face, CanvasElements& all, const ElementKey& key) {
    const NodeItem& node = nodeOf(all, key);
    const NodeStatus& status = node.status();
    face.name = node.face().title;
    face.description = linesOf({activityText(status), nodeTip(node.face(), status)});
    face.area = node.bodyInScene();
    face.state.selectable = true;
    face.state.multiSelectable = true;
    face.state.selected = node.isSelected();
    face.state.focused = all.view().hasFocus() && all.current() == key;
    face.state.expandable = true;
    face.state.collapsed = node.face().isCollapsed || node.face().isGroup;
    face.state.expanded = !face.state.collapsed;
    face.state.busy = status.activity == NodeActivity::Running;
    face.state.invalid = issuesOf(status.issues).worst == Severity::Error;
    const auto add = [&](ElementKind kind, const std::string& item) {
        if (const ElementKey child{kind, key.owner, item}; all.isThere(child)) {
            face.children.push_back(child);
        }
    };
    for (const PortFace& port : node.face().inputs) {
        add(ElementKind::Input, port.id);
    }
    for (const RowFace& row : node.face().rows) {
        add(ElementKind::Row, row.param);
    }
    add(ElementKind::Image, {});
    for (const PortFace& port : node.face().outputs) {
        add(ElementKind::Output, port.id);
    }
}

Actions nodeActions(CanvasElements& all, const ElementKey& key) {
    GraphView& canvas = all.view();
    const std::string id = key.owner;
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
    if (nodeOf(all, key).face().isGroup) {
        return {{QAccessibleActionInterface::pressAction(), GraphView::tr("Select"), focus},
                {QAccessibleActionInterface::setFocusAction(), GraphView::tr("Select"), focus},
                {QAccessibleActionInterface::showMenuAction(),
                 GraphView::tr("Show menu"),
                 selected([&all] { all.showMenu(); })},
                {QStringLiteral("collapse"), GraphView::tr("Open group"), command("node.collapse")},
                {QStringLiteral("rename"), GraphView::tr("Rename"), command("node.rename")},
                {QStringLiteral("ungroup"), GraphView::tr("Ungroup"), command("node.ungroup")},
                {QStringLiteral("delete"), GraphView::tr("Delete"), command("edit.delete")}};
    }
    Actions actions = {
        {QAccessibleActionInterface::pressAction(), GraphView::tr("Select"), focus},
        {QAccessibleActionInterface::setFocusAction(), GraphView::tr("Select"), focus},
        {QAccessibleActionInterface::showMenuAction(), GraphView::tr("Show menu"), selected([&all] {
             all.showMenu();
         })},
        {QStringLiteral("edit"), GraphView::tr("Edit values"), command("node.edit")},
        {QStringLiteral("wire"), GraphView::tr("Connect"), command("node.wire")},
        {QStringLiteral("runToHere"),
         GraphView::tr("Run to here"),
         [&canvas, id] { Q_EMIT canvas.runToRequested(id); }},
        {QStringLiteral("rename"), GraphView::tr("Rename"), command("node.rename")},
        {QStringLiteral("collapse"),
         nodeOf(all, key).face().isCollapsed ? GraphView::tr("Expand") : GraphView::tr("Collapse"),
         command("node.collapse")},
        {QStringLiteral("delete"), GraphView::tr("Delete"), command("edit.delete")}};
    if (nodeOf(all, key).face().canFoldInputs) {
        actions.push_back(
            {QStringLiteral("inputs"), GraphView::tr("Unused inputs"), command("node.inputs")});
    }
    return actions;
}

/// The ports at the other ends of a port's wires that are seen.
std::vector<ElementKey> otherEnds(const CanvasElements& all, const ElementKey& key) {
    const bool isOutput = key.kind == ElementKind::Output;
    if (!isOutput && key.kind != ElementKind::Input) {
        return {};
    }
    const PortRef own = portOf(all, key);
    std::vector<ElementKey> ends;
    for (const graph::Link& link : all.scene().model().document().links) {
        if ((isOutput ? link.from : link.to) != own) {
            continue;
        }
        const ElementKey end = isOutput ? shownPort(all, ElementKind::Input, link.to)
                                        : shownPort(all, ElementKind::Output, link.from);
        if (end.owner != key.owner || end.owner == own.node) {  // else it is folded away
            ends.push_back(end);
        }
    }
    return ends;
}

/// "Input, from Load checkpoint, Model."
QString connectionText(const CanvasElements& all, const ElementKey& key) {
    QStringList ends;
    for (const ElementKey& end : otherEnds(all, key)) {
        ends << endName(all, end);
    }
    const bool isOutput = key.kind == ElementKind::Output;
    if (!ends.isEmpty()) {
        return (isOutput ? GraphView::tr("Output, to %1.") : GraphView::tr("Input, from %1."))
            .arg(listed(ends, "; "));
    }
    return isOutput ? GraphView::tr("Output, not connected.")
           : portFaceOf(all, key)->isOptional
               ? GraphView::tr("Input, not connected.")
               : GraphView::tr("Input, not connected; it is needed.");
}

void describePort(ElementFace& face, CanvasElements& all, const ElementKey& key) {
    constexpr double kHalf = node_measures::kPort;
    const NodeItem& node = nodeOf(all, key);
    const PortFace& port = *portFaceOf(all, key);
    const bool isOutput = key.kind == ElementKind::Output;
    const QPointF centre = isOutput ? node.outputInScene(key.item) : node.inputInScene(key.item);
    face.name = port.label;
    face.description =
        linesOf({connectionText(all, key), withIssues(portTip(port), node.status(), key.item)});
    face.area = QRectF(centre, centre).adjusted(-kHalf, -kHalf, kHalf, kHalf);
    face.state.invalid = issuesOf(node.status().issues).of(key.item) == Severity::Error;
    const ElementKey wire{ElementKind::Wire, key.owner, key.item};
    if (!isOutput && all.isThere(wire)) {
        face.children = {wire};
    }
}

Actions portActions(CanvasElements& all, const ElementKey& key) {
    const bool isOutput = key.kind == ElementKind::Output;
    const PortRef port = portOf(all, key);
    Actions actions = {{QAccessibleActionInterface::pressAction(),
                        GraphView::tr("Connect"),
                        [&all, port, isOutput] { all.wirePort(port, isOutput); }}};
    if (const std::vector<ElementKey> ends = otherEnds(all, key); !ends.empty()) {
        actions.push_back({QStringLiteral("follow"),
                           GraphView::tr("Go to the other end"),
                           [&all, node = ends.front().owner] { all.view().reveal(node); }});
    }
    if (!isOutput && portFaceOf(all, key)->isLinked) {
        actions.push_back({QStringLiteral("disconnect"), GraphView::tr("Disconnect"), [&all, port] {
                               all.removeWire(port);
                           }});
    }
    return actions;
}

void describeWire(ElementFace& face, CanvasElements& all, const ElementKey& key) {
    const Wire& wire = *all.scene().wires().into(portOf(all, key));
    face.name = GraphView::tr("Wire from %1 to %2")
                    .arg(endName(all, shownPort(all, ElementKind::Output, wire.from)),
                         endName(all, {ElementKind::Input, key.owner, key.item}));
    face.area = QRectF(wire.start, wire.end).normalized();
}

Actions wireActions(CanvasElements& all, const ElementKey& key) {
    const PortRef to = portOf(all, key);
    return {
        {QAccessibleActionInterface::pressAction(),
         GraphView::tr("Select"),
         [&all, to] { all.selectWire(to); }},
        {QStringLiteral("delete"), GraphView::tr("Delete"), [&all, to] { all.removeWire(to); }}};
}

QAccessible::Role rowRole(const RowFace& row) {
    if (row.desc == nullptr) {
        return QAccessible::StaticText;
    }
    switch (row.desc->kind) {
        case ParamKind::Bool:
            return QAccessible::CheckBox;
        case ParamKind::Int:
        case ParamKind::Float:
        case ParamKind::Seed:
            return QAccessible::SpinBox;
        case ParamKind::Choice:
            return QAccessible::ComboBox;
        case ParamKind::Text:
        case ParamKind::File:
        case ParamKind::Folder:
            break;
    }
    return QAccessible::EditableText;
}

void describeRow(ElementFace& face, CanvasElements& all, const ElementKey& key) {
    const NodeItem& node = nodeOf(all, key);
    const RowFace& row = shownRow(all, key);
    const QAccessible::Role role = rowRole(row);
    const bool isChoice = role == QAccessible::ComboBox;
    const QString tip = withIssues(rowTip(row), node.status(), key.item);
    face.name = row.label;
    face.description = isChoice ? row.value + u'\n' + tip : tip;
    face.value = row.value;
    face.area = node.layout().rows[rowIndexOf(all, key)].field.translated(node.pos());
    face.state.readOnly = row.desc == nullptr;
    face.state.editable = role == QAccessible::EditableText;
    face.state.multiLine = row.isLong;
    face.state.checkable = role == QAccessible::CheckBox;
    face.state.checked = face.state.checkable && row.json == true;
    face.state.hasPopup = isChoice;
    face.state.invalid = issuesOf(node.status().issues).of(key.item) == Severity::Error;
}

Actions rowActions(CanvasElements& all, const ElementKey& key) {
    const RowFace& row = shownRow(all, key);
    if (row.desc == nullptr) {
        return {};
    }
    const auto edit = [&all, key] { all.editValue(key); };
    if (row.desc->kind == ParamKind::Bool) {
        return {{QAccessibleActionInterface::toggleAction(), GraphView::tr("Switch"), edit}};
    }
    return {{QAccessibleActionInterface::pressAction(), GraphView::tr("Edit"), edit},
            {QAccessibleActionInterface::setFocusAction(), GraphView::tr("Edit"), edit}};
}

QSize imageSizeOf(const NodeStatus& status) {
    return status.shownSize.isEmpty() ? status.nodeImage.size() : status.shownSize;
}

void describeImage(ElementFace& face, CanvasElements& all, const ElementKey& key) {
    const NodeItem& node = nodeOf(all, key);
    const QSize size = imageSizeOf(node.status());
    face.name = (node.status().step ? GraphView::tr("Preview of %1") : GraphView::tr("Image of %1"))
                    .arg(node.face().title);
    face.description = GraphView::tr("%1 x %2 pixels").arg(size.width()).arg(size.height());
    face.area = node.layout().nodeImage.translated(node.pos());
}

Actions imageActions(CanvasElements& all, const ElementKey& key) {
    return {{QAccessibleActionInterface::pressAction(),
             GraphView::tr("Show in the viewer"),
             [&all, key] {
                 Q_EMIT all.view().imageActivated(all.scene().imageNodeOf(nodeOf(all, key)));
             }}};
}

void describeBox(ElementFace& face, CanvasElements& all, const ElementKey& key) {
    const BoxItem& item = boxOf(all, key);
    const bool isFrame = key.kind == ElementKind::Frame;
    QStringList members;
    for (const NodeItem* member :
         isFrame ? all.scene().membersOf(item) : std::vector<NodeItem*>()) {
        members << member->face().title;
    }
    const QString text = QString::fromStdString(item.box().text);
    face.name = !text.isEmpty() ? text : isFrame ? GraphView::tr("Frame") : GraphView::tr("Note");
    face.description =
        members.isEmpty() ? QString() : GraphView::tr("Holds %1").arg(listed(members));
    face.area = item.shownRect();
    face.state.selectable = true;
    face.state.selected = item.isSelected();
    face.state.expandable = isFrame;
    face.state.collapsed = isFrame && item.box().isCollapsed;
    face.state.expanded = isFrame && !item.box().isCollapsed;
}

Actions boxActions(CanvasElements& all, const ElementKey& key) {
    const auto command = [&all, key](const char* id) {
        return [&all, key, id] {
            all.selectBox(key);
            all.view().invoke(id);
        };
    };
    Actions actions = {{QAccessibleActionInterface::pressAction(),
                        GraphView::tr("Select"),
                        [&all, key] {
                            all.selectBox(key);
                            all.view().setFocus(Qt::OtherFocusReason);
                        }},
                       {QStringLiteral("edit"), GraphView::tr("Edit text"), command("node.rename")},
                       {QStringLiteral("delete"), GraphView::tr("Delete"), command("edit.delete")}};
    if (key.kind == ElementKind::Frame) {
        actions.push_back({QStringLiteral("collapse"),
                           boxOf(all, key).box().isCollapsed ? GraphView::tr("Expand")
                                                             : GraphView::tr("Collapse"),
                           [&all, id = key.owner] { all.toggleFrame(id); }});
    }
    return actions;
}

void describeGroup(ElementFace& face, CanvasElements& all, const ElementKey& key) {
    const GraphScene& scene = all.scene();
    QStringList members;
    for (const std::string& unit : scene.groups().unitsIn(key.owner)) {
        members << scene.node(unit)->face().title;
    }
    face.name = QString::fromStdString(scene.groups().find(key.owner)->title);
    face.description = GraphView::tr("Open group, holds %1").arg(listed(members));
    face.area = scene.groupFrames().at(key.owner)->shownRect();
    face.state.selectable = true;
    face.state.expandable = true;
    face.state.expanded = true;
}

Actions groupActions(CanvasElements& all, const ElementKey& key) {
    const auto select = [&all, key] {
        all.view().select(all.scene().groups().nodesIn(key.owner));
        all.view().setFocus(Qt::OtherFocusReason);
    };
    const auto command = [&all, select](const char* id) {
        return [&all, select, id] {
            select();
            all.view().invoke(id);
        };
    };
    return {{QAccessibleActionInterface::pressAction(), GraphView::tr("Select"), select},
            {QStringLiteral("collapse"), GraphView::tr("Fold group"), command("node.collapse")},
            {QStringLiteral("rename"), GraphView::tr("Rename"), command("node.rename")},
            {QStringLiteral("ungroup"), GraphView::tr("Ungroup"), command("node.ungroup")}};
}

struct Kind {
    QAccessible::Role role;  ///< of a row: while it is not there
    void (*describe)(ElementFace& face, CanvasElements& all, const ElementKey& key);
    Actions (*actions)(CanvasElements& all, const ElementKey& key);
};

const Kind& kindOf(const ElementKey& key) {
    // In the order of ElementKind.
    static constexpr Kind kKinds[] = {
        {QAccessible::ListItem, describeNode, nodeActions},
        {QAccessible::Button, describePort, portActions},
        {QAccessible::StaticText, describeRow, rowActions},
        {QAccessible::Graphic, describeImage, imageActions},
        {QAccessible::Button, describePort, portActions},
        {QAccessible::Link, describeWire, wireActions},
        {QAccessible::Grouping, describeBox, boxActions},
        {QAccessible::Note, describeBox, boxActions},
        {QAccessible::Grouping, describeGroup, groupActions},
    };
    return kKinds[static_cast<size_t>(key.kind)];
}

QVariant bound(const std::optional<double>& limit) {
    return limit ? QVariant(*limit) : QVariant();
}

}  // namespace

CanvasElement::CanvasElement(CanvasElements& all, ElementKey key)
    : all_(all),
      key_(std::move(key)),
      text_([this] { return plainValue(); }, [this](const QString& words) { take(words); }) {}

ElementFace CanvasElement::face() const {
    ElementFace face;
    if (!all_.isThere(key_)) {
        face.state.invisible = true;
        return face;
    }
    kindOf(key_).describe(face, all_, key_);
    const QRect seen = all_.view().mapFromScene(face.area).boundingRect();
    face.state.offscreen = !all_.view().viewport()->rect().intersects(seen);
    face.state.focusable = true;
    return face;
}

std::vector<ElementAction> CanvasElement::actions() const {
    return all_.isThere(key_) ? kindOf(key_).actions(all_, key_) : Actions();
}

bool CanvasElement::isValid() const {
    return all_.isThere(key_) || all_.isLeaving(key_);
}

QWindow* CanvasElement::window() const {
    return all_.view().window()->windowHandle();
}

QAccessibleInterface* CanvasElement::parent() const {
    switch (key_.kind) {
        case ElementKind::Node:
        case ElementKind::Frame:
        case ElementKind::Note:
        case ElementKind::Group:
            return QAccessible::queryAccessibleInterface(&all_.view());
        case ElementKind::Wire:
            return all_.at({ElementKind::Input, key_.owner, key_.item});
        default:
            return all_.at({ElementKind::Node, key_.owner, {}});
    }
}

QAccessibleInterface* CanvasElement::child(int index) const {
    const std::vector<ElementKey> keys = face().children;
    const auto at = static_cast<size_t>(index);
    return index >= 0 && at < keys.size() ? all_.at(keys[at]) : nullptr;
}

int CanvasElement::childCount() const {
    return static_cast<int>(face().children.size());
}

int CanvasElement::indexOfChild(const QAccessibleInterface* child) const {
    const auto* element = dynamic_cast<const CanvasElement*>(child);
    const std::vector<ElementKey> keys = face().children;
    const auto found = element == nullptr ? keys.end() : std::ranges::find(keys, element->key());
    return found == keys.end() ? -1 : static_cast<int>(found - keys.begin());
}

QAccessibleInterface* CanvasElement::childAt(int x, int y) const {
    for (const ElementKey& key : face().children) {
        QAccessibleInterface* each = all_.at(key);
        if (each->rect().contains(x, y)) {
            return each;
        }
    }
    return nullptr;
}

/// A port is related to those that it is wired to.
QList<QPair<QAccessibleInterface*, QAccessible::Relation>> CanvasElement::relations(
    QAccessible::Relation match) const {
    QList<QPair<QAccessibleInterface*, QAccessible::Relation>> relations;
    const QAccessible::Relation mine =
        key_.kind == ElementKind::Output ? QAccessible::Controlled : QAccessible::Controller;
    for (const ElementKey& end :
         match.testFlag(static_cast<QAccessible::RelationFlag>(mine.toInt()))
             ? otherEnds(all_, key_)
             : std::vector<ElementKey>()) {
        if (QAccessibleInterface* other = all_.at(end)) {
            relations.append({other, mine});
        }
    }
    return relations;
}

QAccessible::Role CanvasElement::role() const {
    return key_.kind == ElementKind::Row && all_.isThere(key_) ? rowRole(shownRow(all_, key_))
                                                               : kindOf(key_).role;
}

QString CanvasElement::text(QAccessible::Text text) const {
    const ElementFace now = face();
    switch (text) {
        case QAccessible::Name:
            return now.name;
        case QAccessible::Description:
            return now.description;
        case QAccessible::Value:
            return now.value;
        default:
            return {};
    }
}

void CanvasElement::setText(QAccessible::Text text, const QString& words) {
    if (text == QAccessible::Value && key_.kind == ElementKind::Row && all_.isThere(key_)) {
        take(words);
    }
}

QRect CanvasElement::rect() const {
    if (!all_.isThere(key_)) {
        return {};
    }
    const QRect seen = all_.view().mapFromScene(face().area).boundingRect();
    return {all_.view().viewport()->mapToGlobal(seen.topLeft()), seen.size()};
}

QAccessible::State CanvasElement::state() const {
    return face().state;
}

void* CanvasElement::interface_cast(QAccessible::InterfaceType type) {
    const QAccessible::Role now = role();
    const bool isText = now == QAccessible::EditableText;
    switch (type) {
        case QAccessible::ActionInterface:
            return static_cast<QAccessibleActionInterface*>(this);
        case QAccessible::ImageInterface:
            return now == QAccessible::Graphic ? static_cast<QAccessibleImageInterface*>(this)
                                               : nullptr;
        case QAccessible::ValueInterface:
            return now == QAccessible::SpinBox ? static_cast<QAccessibleValueInterface*>(this)
                                               : nullptr;
        case QAccessible::TextInterface:
            return isText ? static_cast<QAccessibleTextInterface*>(&text_) : nullptr;
        case QAccessible::EditableTextInterface:
            return isText ? static_cast<QAccessibleEditableTextInterface*>(&text_) : nullptr;
        default:
            return nullptr;
    }
}

QStringList CanvasElement::actionNames() const {
    QStringList names;
    for (const ElementAction& action : actions()) {
        names << action.id;
    }
    return names;
}

QString CanvasElement::localizedActionName(const QString& name) const {
    for (const ElementAction& action : actions()) {
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
    for (const ElementAction& action : actions()) {
        if (action.id == name) {
            action.act();  // may end this element
            return;
        }
    }
}

void CanvasElement::announceValue(const QString& before) {
    const QAccessible::Role now = role();
    if (now == QAccessible::CheckBox) {
        QAccessible::State changed;
        changed.checked = true;
        QAccessibleStateChangeEvent event(this, changed);
        announceAccess(event);
    } else if (now == QAccessible::EditableText) {
        QAccessibleTextUpdateEvent event(this, 0, before, face().value);
        announceAccess(event);
    } else if (now == QAccessible::SpinBox || now == QAccessible::ComboBox) {
        QAccessibleValueChangeEvent event(this, currentValue());
        announceAccess(event);
    }
}

QString CanvasElement::imageDescription() const {
    return face().name;
}

QSize CanvasElement::imageSize() const {
    return imageSizeOf(nodeOf(all_, key_).status());
}

QPoint CanvasElement::imagePosition() const {
    return rect().topLeft();
}

QVariant CanvasElement::currentValue() const {
    const std::optional<long double> number = numberOf(shownRow(all_, key_).json);
    return number ? QVariant(static_cast<double>(*number)) : QVariant();
}

void CanvasElement::setCurrentValue(const QVariant& value) {
    const TypedValue typed =
        valueFrom(*shownRow(all_, key_).desc, static_cast<long double>(value.toDouble()));
    if (typed.value) {
        take(*typed.value);
    } else {
        announce(all_.view(), typed.problem, Urgency::Urgent);
    }
}

QVariant CanvasElement::maximumValue() const {
    return bound(shownRow(all_, key_).desc->max);
}

QVariant CanvasElement::minimumValue() const {
    return bound(shownRow(all_, key_).desc->min);
}

QVariant CanvasElement::minimumStepSize() const {
    return stepOf(*shownRow(all_, key_).desc);
}

QString CanvasElement::plainValue() const {
    const Json& value = shownRow(all_, key_).json;
    return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
}

/// A choice may be named by its label.
void CanvasElement::take(const QString& words) {
    const ParamDesc* param = shownRow(all_, key_).desc;
    if (param == nullptr) {
        return;
    }
    std::string typed = words.toStdString();
    for (const ChoiceDesc& choice : param->choices) {
        typed = choice.label == typed ? choice.id : typed;
    }
    take(graph::paramFromText(*param, typed));
}

void CanvasElement::take(const Json& value) {
    const ParamDesc param = *shownRow(all_, key_).desc;
    if (const QString problem = refusalOf(param, value); !problem.isEmpty()) {
        announce(all_.view(), problem, Urgency::Urgent);
        return;
    }
    all_.scene().model().apply(GraphView::tr("Change %1").arg(shownRow(all_, key_).label),
                               [&, node = shownRow(all_, key_).node](graph::Document& document) {
                                   document.nodes.at(node).params[param.id] = value;
                               });
}

}  // namespace lowtide::ui
