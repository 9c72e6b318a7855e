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

namespace lowtide::ui {

namespace {

/// With what new nodes of this type begin.
void addDefaultEntries(QMenu& menu,
                       const RowFace& row,
                       const std::string& type,
                       NodeDefaults& defaults) {
    const Json own = defaults.of(type, row.param);
    const Json begins = own.is_null() ? graph::toJson(row.desc->defaultValue) : own;
    QAction* keep = menu.addAction(GraphView::tr("Use for new nodes"));
    keep->setEnabled(row.json != begins);
    QObject::connect(
        keep, &QAction::triggered, &menu, [&defaults, type, param = row.param, value = row.json] {
            defaults.set(type, param, value);
        });
    if (!own.is_null()) {
        QObject::connect(menu.addAction(GraphView::tr("New nodes as described")),
                         &QAction::triggered,
                         &menu,
                         [&defaults, type, param = row.param] { defaults.forget(type, param); });
    }
}

void addRowEntries(QMenu& menu,
                   GraphView::Parts& parts,
                   const RowFace& row,
                   const std::string& node) {
    const ParamDesc& param = *row.desc;
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
    addCommand(menu, parts, "node.frame");
    menu.addSeparator();
    addCommand(menu, parts, "edit.copy");
    addCommand(menu, parts, "edit.duplicate");
    addCommand(menu, parts, "edit.duplicate_wires");
    addCommand(menu, parts, "edit.delete");
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
            addRowEntries(*menu, parts, *row, hit.node->id());
        }
        addNodeEntries(*menu, parts, *hit.node);
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
        if (item != nullptr && !bypassSentence(item->face()).isEmpty()) {
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
