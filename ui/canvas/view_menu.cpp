// GraphView's context menus, what is dropped on it, and what bypassing nodes would do.
#include "ui/canvas/view_menu.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/canvas/graph_view_parts.hpp"
#include "ui/language/language.hpp"
#include "ui/language/module_texts.hpp"

#include <QContextMenuEvent>
#include <QCoreApplication>
#include <QDropEvent>
#include <QMenu>
#include <QMimeData>

namespace lowtide::ui {

namespace {

/// Menu entries; the names of grounds are for users, the ids for the file.
QString groundName(const std::string& ground) {
    if (ground == "blue") {
        return GraphView::tr("Blue");
    }
    if (ground == "green") {
        return GraphView::tr("Green");
    }
    if (ground == "amber") {
        return GraphView::tr("Amber");
    }
    if (ground == "red") {
        return GraphView::tr("Red");
    }
    return ground == "violet" ? GraphView::tr("Violet") : GraphView::tr("Grey");
}

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
                   GraphScene& scene,
                   const RowFace& row,
                   const std::string& node,
                   NodeDefaults* defaults) {
    if (row.desc == nullptr) {
        return;
    }
    const ParamDesc& param = *row.desc;
    GraphModel& model = scene.model();
    QAction* exposed = menu.addAction(GraphView::tr("Show in Generate"));
    exposed->setCheckable(true);
    exposed->setChecked(row.isExposed);
    QObject::connect(exposed, &QAction::triggered, &scene, [&model, &param, node](bool isOn) {
        model.apply(GraphView::tr("Show in Generate"), [&](graph::Document& document) {
            setExposed(document, node, param.id, englishLabel(*model.desc(node), param), isOn);
        });
    });
    const Json standard = graph::toJson(param.defaultValue);
    QAction* reset = menu.addAction(GraphView::tr("Set to default"));
    reset->setEnabled(row.json != standard);
    QObject::connect(reset, &QAction::triggered, &scene, [&model, &param, node, standard] {
        model.apply(GraphView::tr("Set to default"), [&](graph::Document& document) {
            document.nodes.at(node).params[param.id] = standard;
        });
    });
    if (defaults != nullptr) {
        addDefaultEntries(menu, row, model.node(node)->type, *defaults);
    }
    menu.addSeparator();
}

void addNodeEntries(QMenu& menu, GraphView& view, const NodeItem& node) {
    const std::string id = node.id();
    QObject::connect(
        menu.addAction(GraphView::tr("Run to here")), &QAction::triggered, &view, [&view, id] {
            Q_EMIT view.runToRequested(id);
        });
    menu.addSeparator();
    menu.addAction(GraphView::tr("Rename"), &view, &GraphView::renameSelected);
    menu.addAction(GraphView::tr("Collapse"), &view, &GraphView::collapseSelected);
    menu.addAction(GraphView::tr("Pin"), &view, &GraphView::pinSelected);
    menu.addAction(GraphView::tr("Mute"), &view, &GraphView::muteSelected);
    QAction* bypass = menu.addAction(GraphView::tr("Bypass"), &view, &GraphView::bypassSelected);
    bypass->setEnabled(view.canBypassSelected());
    previewBypass(menu, *bypass, view);
    menu.addAction(GraphView::tr("Frame"), &view, &GraphView::frameSelected);
    menu.addSeparator();
    menu.addAction(GraphView::tr("Copy"), &view, &GraphView::copy);
    menu.addAction(GraphView::tr("Duplicate"), &view, &GraphView::duplicate);
    menu.addAction(GraphView::tr("Duplicate with wires"), &view, &GraphView::duplicateWithWires);
    menu.addAction(GraphView::tr("Delete"), &view, &GraphView::removeSelected);
}

void addBoxEntries(QMenu& menu, GraphView& view, GraphScene& scene, const BoxItem& item) {
    menu.addAction(GraphView::tr("Edit text"), &view, &GraphView::renameSelected);
    QMenu* colours = menu.addMenu(GraphView::tr("Colour"));
    for (const char* ground : kGrounds) {
        QAction* action = colours->addAction(groundName(ground));
        Box box = item.box();
        box.colour = ground;
        QObject::connect(action, &QAction::triggered, &scene, [&scene, box, kind = item.kind()] {
            scene.model().apply(GraphView::tr("Colour"),
                                [&](graph::Document& document) { putBox(document, kind, box); });
        });
    }
    menu.addAction(GraphView::tr("Delete"), &view, &GraphView::removeSelected);
}

void addCanvasEntries(QMenu& menu, GraphView& view) {
    menu.addAction(GraphView::tr("Add node..."), &view, &GraphView::openSearch);
    menu.addAction(GraphView::tr("Add note"), &view, &GraphView::addNote);
    menu.addAction(GraphView::tr("Paste"), &view, &GraphView::paste);
    menu.addAction(GraphView::tr("Paste with wires"), &view, &GraphView::pasteWithWires);
    menu.addSeparator();
    menu.addAction(GraphView::tr("Select all"), &view, &GraphView::selectAllNodes);
    menu.addAction(GraphView::tr("Arrange"), &view, &GraphView::arrangeNodes);
    menu.addAction(GraphView::tr("Show all"), &view, &GraphView::zoomToAll);
}

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

QMenu* canvasMenu(GraphView& view,
                  GraphScene& scene,
                  const CanvasHit& hit,
                  NodeDefaults* defaults) {
    auto* menu = new QMenu(&view);
    menu->setObjectName(QStringLiteral("canvasMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (hit.node != nullptr) {
        if (!hit.node->isSelected()) {
            scene.select({hit.node->id()});
        }
        if (hit.part.part == NodePart::Row || hit.part.part == NodePart::Value) {
            const RowFace& row = hit.node->face().rows[static_cast<size_t>(hit.part.index)];
            addRowEntries(*menu, scene, row, hit.node->id(), defaults);
        }
        addNodeEntries(*menu, view, *hit.node);
    } else if (hit.box != nullptr && hit.boxPart != BoxPart::Body) {
        scene.select({});
        scene.selectBoxes(hit.box->kind(), {hit.box->box().id});
        addBoxEntries(*menu, view, scene, *hit.box);
    } else {
        addCanvasEntries(*menu, view);
    }
    return menu;
}

void GraphView::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() == QContextMenuEvent::Keyboard) {
        showMenu();
        return;
    }
    const PointerAt at = parts_->pointerAt(event->pos(), {});
    const CanvasHit hit = hitAt(parts_->scene, at.scene, at.zoom);
    QMenu* menu = canvasMenu(*this, parts_->scene, hit, parts_->defaults);
    const bool isRow =
        hit.node && (hit.part.part == NodePart::Row || hit.part.part == NodePart::Value);
    const RowFace* row =
        isRow ? &hit.node->face().rows[static_cast<size_t>(hit.part.index)] : nullptr;
    if (parts_->offersSheets && row && row->desc && !row->desc->cosmetic) {
        auto* vary = new QAction(tr("Vary in a sheet..."), menu);
        vary->setObjectName(QStringLiteral("vary"));
        menu->insertAction(menu->actions().front(), vary);
        connect(vary, &QAction::triggered, this, [this, node = hit.node->id(), param = row->param] {
            Q_EMIT varyRequested(node, param);
        });
    }
    menu->popup(event->globalPos());
}

void GraphView::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) {
        event->acceptProposedAction();
    }
}

void GraphView::dragMoveEvent(QDragMoveEvent* event) {
    event->acceptProposedAction();
}

void GraphView::dropEvent(QDropEvent* event) {
    const QPointF at = parts_->pointerAt(event->position().toPoint(), {}).scene;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile()) {
            Q_EMIT fileDropped(url.toLocalFile(), at);
        }
    }
    event->acceptProposedAction();
}

void paintBypass(QPainter& painter, const GraphScene& scene, const std::set<std::string>& nodes) {
    for (const std::string& id : nodes) {
        const NodeItem* item = scene.node(id);
        if (item != nullptr && !bypassSentence(item->face()).isEmpty()) {
            paintNode(painter, *item, scene.look());
        }
    }
}

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

void previewBypass(const QMenu& menu, const QAction& bypass, GraphView& view) {
    QObject::connect(&menu, &QMenu::hovered, &view, [&view, &bypass](const QAction* action) {
        view.showBypassPreview(action == &bypass && action->isEnabled());
    });
    QObject::connect(&menu, &QMenu::aboutToHide, &view, [&view] { view.showBypassPreview(false); });
}

}  // namespace lowtide::ui
