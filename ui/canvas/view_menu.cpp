// GraphView's context menus, and what bypassing nodes would do.
#include "ui/canvas/view_menu.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/canvas/canvas_elements.hpp"
#include "ui/canvas/graph_view_parts.hpp"
#include "ui/language/language.hpp"
#include "ui/language/module_texts.hpp"

#include <QContextMenuEvent>
#include <QCoreApplication>
#include <QMenu>

#include <algorithm>
#include <functional>
#include <initializer_list>

namespace lowtide::ui {

namespace {

/// With what new nodes of this type begin.
void addDefaultEntries(QMenu& menu,
                       const RowFace& row,
                       const std::string& type,
                       NodeDefaults& defaults) {
    const Json own = defaults.of(type, row.desc->id);
    const Json begins = own.is_null() ? graph::toJson(row.desc->defaultValue) : own;
    QAction* keep = menu.addAction(GraphView::tr("Use for new nodes"));
    keep->setEnabled(row.json != begins);
    QObject::connect(keep,
                     &QAction::triggered,
                     &menu,
                     [&defaults, type, param = row.desc->id, value = row.json] {
                         defaults.set(type, param, value);
                     });
    if (!own.is_null()) {
        QObject::connect(menu.addAction(GraphView::tr("New nodes as described")),
                         &QAction::triggered,
                         &menu,
                         [&defaults, type, param = row.desc->id] { defaults.forget(type, param); });
    }
}

/// The groups on which a value or port of the item can be shown: itself, and the one around it.
std::vector<std::string> groupsFor(const GraphScene& scene, const NodeItem& item) {
    std::vector<std::string> ids{item.id(), scene.groups().of(item.id())};
    std::erase_if(ids, [&](const std::string& id) { return scene.groups().find(id) == nullptr; });
    return ids;
}

/// An entry that changes a group where it is switched.
QAction* addGroupSwitch(QMenu& menu,
                        GraphView::Parts& parts,
                        const Group& group,
                        bool isShown,
                        const std::function<void(Group& group)>& change) {
    QAction* entry = menu.addAction(
        GraphView::tr("Show on the group “%1”").arg(QString::fromStdString(group.title)));
    entry->setCheckable(true);
    entry->setChecked(isShown);
    QObject::connect(entry,
                     &QAction::triggered,
                     &parts.scene,
                     [&model = parts.model, changed = group, change]() mutable {
                         change(changed);
                         model.apply(
                             GraphView::tr("Show on the group"),
                             [&](graph::Document& document) { putGroup(document, changed); });
                     });
    return entry;
}

void addValueSwitches(QMenu& menu,
                      GraphView::Parts& parts,
                      const NodeItem& item,
                      const graph::PortRef& value) {
    for (const std::string& id : groupsFor(parts.scene, item)) {
        const Group& group = *parts.scene.groups().find(id);
        const bool isShown = std::ranges::find(group.values, value) != group.values.end();
        addGroupSwitch(menu, parts, group, isShown, [value, isShown](Group& changed) {
            if (isShown) {
                std::erase(changed.values, value);
            } else {
                changed.values.push_back(value);
            }
        });
    }
}

/// A port without a wire over the border can be shown all the same; of one that is shown, the name
/// can be changed.
void addPortEntries(QMenu& menu,
                    GraphView::Parts& parts,
                    const NodeItem& item,
                    const graph::PortRef& port,
                    bool isOutput) {
    for (const std::string& id : groupsFor(parts.scene, item)) {
        const Group& group = *parts.scene.groups().find(id);
        const NodeFace& face = parts.scene.node(id)->face();
        const int index =
            isOutput ? face.outputIndex(nameInGroup(port)) : face.inputIndex(nameInGroup(port));
        const auto at = static_cast<size_t>(index);
        const bool isLinked = index >= 0 && (isOutput ? face.outputs : face.inputs)[at].isLinked;
        const std::vector<GroupPort>& chosen = isOutput ? group.outputs : group.inputs;
        const bool isChosen = std::ranges::find(chosen, port, &GroupPort::port) != chosen.end();
        QAction* entry = addGroupSwitch(
            menu, parts, group, index >= 0, [port, isOutput, isChosen](Group& changed) {
                std::vector<GroupPort>& ports = isOutput ? changed.outputs : changed.inputs;
                std::erase_if(ports, [&](const GroupPort& each) { return each.port == port; });
                if (!isChosen) {
                    ports.push_back({.port = port, .label = {}});
                }
            });
        entry->setEnabled(index < 0 || (isChosen && !isLinked));
        if (id == item.id()) {
            QObject::connect(menu.addAction(GraphView::tr("Rename the port")),
                             &QAction::triggered,
                             &parts.scene,
                             [&texts = parts.texts, id, port, isOutput] {
                                 texts.renamePort(id, port, isOutput);
                             });
        }
    }
    menu.addSeparator();
}

void addRowEntries(QMenu& menu, GraphView::Parts& parts, const NodeItem& item, const RowFace& row) {
    const ParamDesc& param = *row.desc;
    const std::string node = row.node;
    GraphModel& model = parts.model;
    if (parts.offersSheets && !param.cosmetic) {
        QAction* vary = menu.addAction(GraphView::tr("Vary in a sheet..."));
        vary->setObjectName(QStringLiteral("vary"));
        QObject::connect(
            vary, &QAction::triggered, &parts.view, [&view = parts.view, node, id = param.id] {
                Q_EMIT view.varyRequested(node, id);
            });
    }
    QAction* exposed = menu.addAction(GraphView::tr("Show in Generate"));
    exposed->setCheckable(true);
    exposed->setChecked(row.isExposed);
    QObject::connect(exposed, &QAction::triggered, &parts.scene, [&model, &param, node](bool isOn) {
        model.apply(GraphView::tr("Show in Generate"), [&](graph::Document& document) {
            setExposed(document, node, param.id, englishLabel(*model.desc(node), param), isOn);
        });
    });
    addValueSwitches(menu, parts, item, {node, param.id});
    const Json standard = graph::toJson(param.defaultValue);
    QAction* reset = menu.addAction(GraphView::tr("Set to default"));
    reset->setEnabled(row.json != standard);
    QObject::connect(reset, &QAction::triggered, &parts.scene, [&model, &param, node, standard] {
        model.apply(GraphView::tr("Set to default"), [&](graph::Document& document) {
            document.nodes.at(node).params[param.id] = standard;
        });
    });
    if (parts.defaults != nullptr) {
        addDefaultEntries(menu, row, model.node(node)->type, *parts.defaults);
    }
    menu.addSeparator();
}

/// The command as the menus of the window have it, with its key.
QAction* addCommand(QMenu& menu, GraphView::Parts& parts, const char* id) {
    const CanvasCommand& command = commandOf(id);
    GraphView& view = parts.view;
    QAction* action = menu.addAction(QCoreApplication::translate("Actions", command.text),
                                     &view,
                                     [&view, id] { view.invoke(id); });
    action->setShortcuts(parts.keys.of(id));
    action->setShortcutContext(Qt::WidgetShortcut);  // the canvas itself takes the key
    action->setShortcutVisibleInContextMenu(true);
    return action;
}

void addCommands(QMenu& menu, GraphView::Parts& parts, std::initializer_list<const char*> ids) {
    for (const char* id : ids) {
        addCommand(menu, parts, id);
    }
}

/// Of a selected group, folded or open.
void addGroupEntries(QMenu& menu, GraphView::Parts& parts, const Group& group) {
    QObject::connect(
        menu.addAction(group.isFolded ? GraphView::tr("Open group") : GraphView::tr("Fold group")),
        &QAction::triggered,
        &parts.scene,
        [&parts, id = group.id, isFolded = group.isFolded] {
            parts.setGroupFolded(id, !isFolded);
        });
    addCommands(menu, parts, {"node.rename", "node.ungroup", "node.group"});
    menu.addSeparator();
    addCommands(menu, parts, {"node.mute", "node.bypass", "node.frame"});
    menu.addSeparator();
    addCommands(
        menu, parts, {"edit.copy", "edit.duplicate", "edit.duplicate_wires", "edit.delete"});
}

void addNodeEntries(QMenu& menu, GraphView::Parts& parts, const NodeItem& node) {
    GraphView& view = parts.view;
    const std::string id = node.id();
    QObject::connect(
        menu.addAction(GraphView::tr("Run to here")), &QAction::triggered, &view, [&view, id] {
            Q_EMIT view.runToRequested(id);
        });
    menu.addSeparator();
    addCommand(menu, parts, "node.rename");
    addCommand(menu, parts, "node.collapse");
    QAction* inputs = addCommand(menu, parts, "node.inputs");
    inputs->setCheckable(true);
    inputs->setChecked(node.face().showsUnusedInputs);
    inputs->setEnabled(node.face().canFoldInputs);
    addCommand(menu, parts, "node.pin");
    addCommand(menu, parts, "node.mute");
    QAction* bypass = addCommand(menu, parts, "node.bypass");
    bypass->setEnabled(view.canBypassSelected());
    previewBypass(menu, *bypass, view);
    addCommands(menu, parts, {"node.frame", "node.group"});
    addCommand(menu, parts, "node.ungroup")
        ->setEnabled(!parts.scene.groups().commonOf(parts.scene.selectedNodes()).empty());
    menu.addSeparator();
    addCommands(
        menu, parts, {"edit.copy", "edit.duplicate", "edit.duplicate_wires", "edit.delete"});
}

void addBoxEntries(QMenu& menu, GraphView::Parts& parts, const BoxItem& item) {
    addCommand(menu, parts, "node.rename")->setText(GraphView::tr("Edit text"));
    // Names are for users, grounds for the file.
    const QString names[] = {GraphView::tr("Grey"),
                             GraphView::tr("Blue"),
                             GraphView::tr("Green"),
                             GraphView::tr("Amber"),
                             GraphView::tr("Red"),
                             GraphView::tr("Violet")};
    QMenu* colours = menu.addMenu(GraphView::tr("Colour"));
    for (size_t i = 0; i < std::size(kGrounds); ++i) {
        QAction* action = colours->addAction(names[i]);
        Box box = item.box();
        box.colour = kGrounds[i];
        QObject::connect(action,
                         &QAction::triggered,
                         &parts.scene,
                         [&model = parts.model, box, kind = item.kind()] {
                             model.apply(GraphView::tr("Colour"), [&](graph::Document& document) {
                                 putBox(document, kind, box);
                             });
                         });
    }
    addCommand(menu, parts, "edit.delete");
}

void addCanvasEntries(QMenu& menu, GraphView::Parts& parts) {
    addCommand(menu, parts, "node.add");
    addCommand(menu, parts, "node.note");
    addCommand(menu, parts, "edit.paste");
    addCommand(menu, parts, "edit.paste_wires");
    menu.addSeparator();
    addCommand(menu, parts, "edit.select_all");
    addCommand(menu, parts, "node.arrange");
    addCommand(menu, parts, "view.fit_all");
}

constexpr int kTipAside = 16;  ///< the tip stands below the left edge of the node
constexpr double kVeil = 0.72;
constexpr double kCross = 5;

struct BypassWords {
    Q_DECLARE_TR_FUNCTIONS(BypassPreview)
};

void paintCross(QPainter& painter, QPointF at, const Look& look) {
    painter.setPen(QPen(look.error, 2, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(at - QPointF(kCross, kCross), at + QPointF(kCross, kCross));
    painter.drawLine(at - QPointF(kCross, -kCross), at + QPointF(kCross, -kCross));
}

/// What bypassing does, as a sentence about one node; empty: nothing can be passed on.
QString bypassSentence(const NodeFace& face) {
    QStringList passed, missing;
    if (face.desc != nullptr) {
        for (const PortDesc& output : face.desc->outputs) {
            const QString name = QString::fromStdString(output.label);
            if (const PortDesc* input = graph::passedInput(*face.desc, output.id)) {
                passed << BypassWords::tr("%1 goes on as %2")
                              .arg(QString::fromStdString(input->label), name);
            } else {
                missing << name;
            }
        }
    }
    if (passed.isEmpty()) {
        return {};
    }
    QString sentence =
        BypassWords::tr("Bypassed, %1 does nothing: %2.").arg(face.title, listed(passed));
    if (!missing.isEmpty()) {
        sentence += u' ' + BypassWords::tr("Nothing comes out of %1.").arg(listed(missing));
    }
    return sentence;
}

void paintNode(QPainter& painter, const NodeItem& item, const Look& look) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(faded(look.canvas, kVeil));
    painter.drawRoundedRect(item.bodyInScene(), node_measures::kRadius, node_measures::kRadius);
    for (const PortDesc& output : item.face().desc->outputs) {
        const QPointF end = item.outputInScene(output.id);
        const PortDesc* input = graph::passedInput(*item.face().desc, output.id);
        if (input == nullptr) {
            paintCross(painter, end, look);
            continue;
        }
        paintTentativeWire(
            painter, item.inputInScene(input->id), end, look.wire(output.type).colour);
    }
}

}  // namespace

QMenu* canvasMenu(GraphView::Parts& parts, const CanvasHit& hit) {
    auto* menu = new QMenu(&parts.view);
    menu->setObjectName(QStringLiteral("canvasMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (hit.node != nullptr) {
        if (!hit.node->isSelected()) {
            parts.scene.select({hit.node->id()});
        }
        if (const RowFace* row = hit.row(); row != nullptr && row->desc != nullptr) {
            addRowEntries(*menu, parts, *hit.node, *row);
        }
        if (const std::optional<graph::PortRef> port = hit.port()) {
            addPortEntries(*menu, parts, *hit.node, *port, hit.part.part == NodePart::Output);
        }
        if (const Group* group = parts.scene.groups().find(hit.node->id())) {
            addGroupEntries(*menu, parts, *group);
        } else {
            addNodeEntries(*menu, parts, *hit.node);
        }
    } else if (const Group* group = parts.scene.groups().find(hit.group)) {
        parts.scene.select(parts.scene.groups().nodesIn(hit.group));
        addGroupEntries(*menu, parts, *group);
    } else if (hit.box != nullptr && hit.boxPart != BoxPart::Body) {
        parts.scene.select({});
        parts.scene.selectBoxes(hit.box->kind(), {hit.box->box().id});
        addBoxEntries(*menu, parts, *hit.box);
    } else {
        addCanvasEntries(*menu, parts);
    }
    return menu;
}

void GraphView::Parts::openMenu(const QContextMenuEvent& event) {
    if (event.reason() == QContextMenuEvent::Keyboard) {
        elements->showMenu();
        return;
    }
    const PointerAt at = pointerAt(event.pos(), {});
    canvasMenu(*this, hitAt(scene, at.scene, at.zoom))->popup(event.globalPos());
}

NodeIds GraphView::Parts::bypassable() const {
    NodeIds ids = scene.selectedNodes();
    const graph::Document& document = model.document();
    std::erase_if(ids, [&](const std::string& id) {
        const auto node = document.nodes.find(id);  // while nodes go, one may be chosen still
        return node == document.nodes.end() || (!canBypass(document, model.catalog(), id) &&
                                                node->second.mode != graph::NodeMode::Bypassed);
    });
    return ids;
}

bool GraphView::canBypassSelected() const {
    return !parts_->bypassable().empty();
}

void GraphView::showBypassPreview(bool isShown) {
    const NodeIds ids = parts_->bypassable();
    const auto isBypassed = [this](const std::string& id) {
        return parts_->model.document().nodes.at(id).mode == graph::NodeMode::Bypassed;
    };
    const bool isGain = !std::all_of(ids.begin(), ids.end(), isBypassed);
    if (std::exchange(parts_->showsBypass, isShown && isGain) == (isShown && isGain)) {
        return;
    }
    viewport()->update();
    parts_->tip.report({}, {});
    if (parts_->showsBypass && ids.size() == 1) {
        const NodeItem& item = *parts_->scene.node(*ids.begin());
        parts_->tip.report(bypassSentence(item.face()),
                           mapFromScene(item.bodyInScene().bottomLeft()) - QPoint(kTipAside, 0));
    }
}

void paintBypass(QPainter& painter, const GraphScene& scene, const std::set<std::string>& nodes) {
    for (const std::string& id : nodes) {
        const NodeItem* item = scene.node(id);
        if (item != nullptr && item->isVisible() && !bypassSentence(item->face()).isEmpty()) {
            paintNode(painter, *item, scene.look());
        }
    }
}

void previewBypass(const QMenu& menu, const QAction& bypass, GraphView& view) {
    QObject::connect(&menu, &QMenu::hovered, &view, [&view, &bypass](const QAction* action) {
        view.showBypassPreview(action == &bypass && action->isEnabled());
    });
    QObject::connect(&menu, &QMenu::aboutToHide, &view, [&view] { view.showBypassPreview(false); });
}

}  // namespace lowtide::ui
