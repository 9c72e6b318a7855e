// What the commands of the canvas do, by ids that keys, menus and the window use: steps on what
// is selected, its clipboard (graphs as text, files, images, and what is none of these), frames,
// notes, and where the view and the focus go.
#include "ui/canvas/canvas_commands.hpp"

#include "plugin/base/error.hpp"
#include "plugin/interop/import.hpp"
#include "ui/canvas/graph_view_parts.hpp"
#include "ui/canvas/navigation.hpp"
#include "ui/document/arrange.hpp"
#include "ui/document/clipboard.hpp"
#include "ui/document/free_space.hpp"
#include "ui/document/groups.hpp"
#include "ui/language/module_texts.hpp"

#include <QClipboard>
#include <QGuiApplication>
#include <QImage>
#include <QKeyEvent>
#include <QMimeData>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr double kOffset = 32;  ///< how far a duplicate lies from what it came from
constexpr bool kWithWires = true;
constexpr bool kJoining = true;  ///< wires of what is removed are joined
constexpr bool kAlongWires = true;
constexpr bool kPlain = false;  ///< not checkable
constexpr bool kAfterLine = true;
constexpr bool kHeld = true;
constexpr ActionScope kWindow = ActionScope::Window;
constexpr ActionScope kCanvas = ActionScope::Canvas;
constexpr ActionScope kKey = ActionScope::Key;
constexpr int kBelow = 8;
constexpr double kFramePadding = 24;
constexpr double kFrameTitle = 48;  ///< title and space below it

Point roundedPoint(QPointF point) {
    return {std::round(point.x()), std::round(point.y())};
}

QRectF boundsOfSelected(const GraphScene& scene) {
    QRectF bounds;
    for (const NodeItem* item : scene.shownNodes()) {
        bounds |= item->isSelected() ? item->bodyInScene() : QRectF();
    }
    return bounds;
}

/// What the canvas shows of what is selected: nodes and folded groups.
NodeIds selectedUnits(const GraphScene& scene) {
    NodeIds units;
    for (const std::string& node : scene.selectedNodes()) {
        units.insert(scene.groups().shownAs(node));
    }
    return units;
}

void copySelected(GraphView::Parts& parts) {
    const NodeIds ids = parts.scene.selectedNodes();
    if (!ids.empty()) {
        QGuiApplication::clipboard()->setText(
            QString::fromStdString(copyText(parts.model.document(), ids, true)));
    }
}

void removeSelected(GraphView::Parts& parts, bool heal) {
    const NodeIds ids = parts.scene.selectedNodes();
    std::vector<std::pair<BoxKind, std::string>> boxes;
    for (const BoxItem* box : parts.scene.boxes()) {
        if (box->isSelected()) {
            boxes.emplace_back(box->kind(), box->box().id);
        }
    }
    const std::optional<graph::PortRef> wire = std::exchange(parts.selectedWire, std::nullopt);
    parts.model.apply(GraphView::tr("Delete"), [&](graph::Document& document) {
        removeNodes(document, parts.model.catalog(), ids, heal);
        for (const auto& [kind, id] : boxes) {
            removeBox(document, kind, id);
        }
        if (wire) {
            ui::disconnect(document, *wire);
        }
    });
}

void cutSelected(GraphView::Parts& parts) {
    copySelected(parts);
    removeSelected(parts, !kJoining);
}

/// Errors: as pasteText().
void insertText(GraphView::Parts& parts, const std::string& text, QPointF at, const QString& step) {
    NodeIds fresh;
    parts.model.apply(step, [&](graph::Document& document) {
        fresh = pasteText(document, parts.model.catalog(), text, roundedPoint(at));
        if (!parts.within.empty()) {
            moveIntoGroup(document, fresh, parts.within);
        }
    });
    parts.scene.select(fresh);
}

void duplicateSelected(GraphView::Parts& parts, bool withWires) {
    if (const NodeIds ids = parts.scene.selectedNodes(); !ids.empty()) {
        QRectF bounds;
        for (const std::string& id : ids) {  // also of nodes that are folded away
            bounds |= parts.scene.node(id)->bodyInScene();
        }
        insertText(parts,
                   copyText(parts.model.document(), ids, withWires),
                   bounds.topLeft() + QPointF(kOffset, kOffset),
                   withWires ? GraphView::tr("Duplicate with wires") : GraphView::tr("Duplicate"));
    }
}

/// The text without the wires that come from nodes which it does not hold.
std::string withoutIncoming(const std::string& text) {
    graph::Document document = graph::parseDocument(text);
    std::erase_if(document.links, [&document](const graph::Link& link) {
        return !document.nodes.contains(link.from.node);
    });
    return graph::toText(document);
}

/// What another program put there, as text or, as ComfyUI's canvas, as HTML; empty: nothing.
QString foreignTextIn(const QMimeData& data) {
    for (const QString& text : {data.text(), data.html()}) {
        if (interop::isForeign(text.toStdString())) {
            return text;
        }
    }
    return {};
}

void paste(GraphView::Parts& parts, bool withWires) {
    const QMimeData* data = QGuiApplication::clipboard()->mimeData();
    const QPointF at = parts.view.mapToScene(parts.pointerOrMiddle());
    if (const QStringList files = localFiles(data); !files.isEmpty()) {
        Q_EMIT parts.view.filesDropped(files, parts.spotOfPointer());
        return;
    }
    if (const QString text = foreignTextIn(*data); !text.isEmpty()) {
        Q_EMIT parts.view.foreignPasted(text);
        return;
    }
    try {
        const std::string text = data->text().toStdString();
        insertText(parts,
                   withWires ? text : withoutIncoming(text),
                   at,
                   withWires ? GraphView::tr("Paste with wires") : GraphView::tr("Paste"));
    } catch (const Error& error) {
        if (data->hasImage()) {
            Q_EMIT parts.view.imagePasted(qvariant_cast<QImage>(data->imageData()),
                                          parts.spotOfPointer());
        } else if (data->text().trimmed().isEmpty()) {
            Q_EMIT parts.view.pasteRefused(
                GraphView::tr("The clipboard holds no nodes and no image to paste."));
        } else {
            Q_EMIT parts.view.pasteRefused(
                GraphView::tr("The text in the clipboard is no graph: %1").arg(errorText(error)));
        }
    }
}

void selectAllNodes(GraphView::Parts& parts) {
    NodeIds ids;
    for (const NodeItem* item : parts.scene.shownNodes()) {
        ids.insert(item->id());
    }
    parts.scene.select(ids);
}

void openSearch(GraphView::Parts& parts) {
    parts.openSearch(parts.pointerAt(parts.pointerOrMiddle(), {}), std::nullopt);
}

void editSelected(GraphView::Parts& parts) {
    if (const Group* group = parts.selectedGroup(); group != nullptr && group->isFolded) {
        parts.setGroupFolded(group->id, false);
        return;
    }
    if (const NodeIds ids = parts.scene.selectedNodes(); ids.size() == 1) {
        parts.rows.beginNext(*ids.begin(), 1);
    }
}

void wireSelected(GraphView::Parts& parts) {
    const NodeIds ids = parts.scene.selectedNodes();
    if (ids.size() != 1) {
        parts.tip.report(GraphView::tr("Select the one node to wire."), parts.pointerOrMiddle());
        return;
    }
    parts.view.reveal(*ids.begin());
    const QRectF body = parts.scene.shownNode(*ids.begin())->bodyInScene();
    const QPoint below = parts.view.mapFromScene(body.bottomLeft()) + QPoint(0, kBelow);
    parts.wiring.openAt(parts.view.viewport()->mapTo(&parts.view, below), *ids.begin());
}

void renameSelected(GraphView::Parts& parts) {
    if (const Group* group = parts.selectedGroup(); group != nullptr) {
        parts.texts.renameGroup(group->id);
        return;
    }
    const NodeIds ids = parts.scene.selectedNodes();
    if (ids.size() == 1) {
        parts.texts.renameNode(*ids.begin());
        return;
    }
    for (const BoxItem* box : parts.scene.boxes()) {
        if (box->isSelected()) {
            parts.texts.writeBox(box->kind(), box->box().id);
            return;
        }
    }
}

void muteSelected(GraphView::Parts& parts) {
    parts.model.apply(GraphView::tr("Mute"),
                      [ids = parts.scene.selectedNodes()](graph::Document& document) {
                          toggleMode(document, ids, graph::NodeMode::Muted);
                      });
}

void bypassSelected(GraphView::Parts& parts) {
    const NodeIds ids = parts.bypassable();
    if (ids.empty() && !parts.scene.selectedNodes().empty()) {
        parts.tip.report(
            GraphView::tr("A node can be bypassed only where an input of the same type as an "
                          "output can be passed on."),
            parts.pointerOrMiddle());
        return;
    }
    parts.model.apply(GraphView::tr("Bypass"), [&ids](graph::Document& changed) {
        toggleMode(changed, ids, graph::NodeMode::Bypassed);
    });
}

/// Sets it for all of the nodes, or none where all have it.
void toggleNodes(GraphView::Parts& parts,
                 const NodeIds& ids,
                 const QString& step,
                 bool (*is)(const graph::DocumentNode&),
                 void (*set)(graph::DocumentNode&, bool)) {
    parts.model.apply(step, [&](graph::Document& document) {
        const bool allAre = std::all_of(ids.begin(), ids.end(), [&](const std::string& id) {
            return is(document.nodes.at(id));
        });
        for (const std::string& id : ids) {
            set(document.nodes.at(id), !allAre);
        }
    });
}

void collapseSelected(GraphView::Parts& parts) {
    if (const Group* group = parts.selectedGroup(); group != nullptr) {
        parts.setGroupFolded(group->id, !group->isFolded);
        return;
    }
    const NodeIds ids = parts.scene.selectedNodes();
    toggleNodes(parts, ids, GraphView::tr("Collapse"), isCollapsed, setCollapsed);
}

void unfoldInputsOfSelected(GraphView::Parts& parts) {
    NodeIds ids = parts.scene.selectedNodes();
    std::erase_if(ids, [&parts](const std::string& id) {
        return !parts.scene.node(id)->face().canFoldInputs;
    });
    if (ids.empty()) {
        parts.tip.report(
            GraphView::tr("None of the selected nodes has more than one unused input."),
            parts.pointerOrMiddle());
        return;
    }
    toggleNodes(
        parts, ids, GraphView::tr("Unused inputs"), showsUnusedInputs, setShowsUnusedInputs);
}

void pinSelected(GraphView::Parts& parts) {
    const NodeIds ids = parts.scene.selectedNodes();
    toggleNodes(parts, ids, GraphView::tr("Pin"), isPinned, setPinned);
}

void frameSelected(GraphView::Parts& parts) {
    QRectF bounds = boundsOfSelected(parts.scene);
    if (bounds.isEmpty()) {
        return;
    }
    bounds.adjust(-kFramePadding, -kFrameTitle, kFramePadding, kFramePadding);
    std::string id;
    parts.model.apply(GraphView::tr("Frame"), [&](graph::Document& document) {
        id = putBox(document,
                    BoxKind::Frame,
                    {.text = GraphView::tr("Frame").toStdString(),
                     .topLeft = roundedPoint(bounds.topLeft()),
                     .size = roundedPoint({bounds.width(), bounds.height()}),
                     .colour = "blue"});
    });
    parts.texts.writeBox(BoxKind::Frame, id);
}

/// One step: its size as one node is known once the scene shows it.
void groupSelected(GraphView::Parts& parts) {
    const NodeIds ids = parts.scene.selectedNodes();
    const QString step = GraphView::tr("Group");
    const QString key = QStringLiteral("group");
    std::string id;
    parts.model.endMerging();
    parts.model.apply(
        step,
        [&](graph::Document& document) { id = addGroup(document, ids, step.toStdString()); },
        key);
    if (id.empty()) {
        parts.tip.report(
            GraphView::tr("Select two nodes or more, but not all that a group holds already."),
            parts.pointerOrMiddle());
        return;
    }
    const NodeSizes sizes = parts.view.wantedNodeSizes();
    parts.model.apply(
        step, [&](graph::Document& document) { foldGroup(document, id, true, sizes); }, key);
    parts.model.endMerging();
    parts.scene.select(ids);
    parts.texts.renameGroup(id);
}

void ungroupSelected(GraphView::Parts& parts) {
    const NodeIds ids = parts.scene.selectedNodes();
    if (const Group* group = parts.selectedGroup(); group != nullptr) {
        const NodeSizes sizes = parts.view.wantedNodeSizes();
        parts.model.apply(GraphView::tr("Ungroup"), [&](graph::Document& document) {
            foldGroup(document, group->id, false, sizes);
            removeGroup(document, group->id);
        });
        return;
    }
    if (parts.scene.groups().commonOf(ids).empty()) {
        parts.tip.report(GraphView::tr("Select a group, or nodes that lie in one."),
                         parts.pointerOrMiddle());
        return;
    }
    parts.model.apply(GraphView::tr("Take out of the group"),
                      [&](graph::Document& document) { takeOutOfGroup(document, ids); });
}

void addNote(GraphView::Parts& parts) {
    const QPointF at = parts.view.mapToScene(parts.view.viewport()->rect().center());
    std::string id;
    parts.model.apply(GraphView::tr("Add note"), [&](graph::Document& document) {
        id = putBox(document, BoxKind::Note, {.topLeft = roundedPoint(at), .colour = "amber"});
    });
    parts.texts.writeBox(BoxKind::Note, id);
}

void alignSelected(GraphView::Parts& parts, Alignment how) {
    parts.model.apply(GraphView::tr("Align"), [&](graph::Document& document) {
        const NodeSizes sizes = parts.view.nodeSizes();
        editShown(document, sizes, [&](graph::Document& shown) {
            align(shown, selectedUnits(parts.scene), sizes, how);
        });
    });
}

void distributeSelected(GraphView::Parts& parts, Axis axis) {
    parts.model.apply(GraphView::tr("Distribute"), [&](graph::Document& document) {
        const NodeSizes sizes = parts.view.nodeSizes();
        editShown(document, sizes, [&](graph::Document& shown) {
            distribute(shown, selectedUnits(parts.scene), sizes, axis);
        });
    });
}

void arrangeNodes(GraphView::Parts& parts) {
    const NodeIds ids = selectedUnits(parts.scene);
    parts.model.apply(GraphView::tr("Arrange"), [&](graph::Document& document) {
        arrangeShown(document, ids.size() > 1 ? ids : NodeIds(), parts.view.wantedNodeSizes());
    });
    if (ids.size() < 2) {
        parts.navigation.jumpToAll();
    }
}

void fitSelected(GraphView::Parts& parts) {
    QRectF rect = boundsOfSelected(parts.scene);
    for (const BoxItem* box : parts.scene.boxes()) {
        rect |= box->isSelected() ? box->shownRect() : QRectF();
    }
    parts.navigation.jumpTo(rect);
}

void keepBookmark(GraphView::Parts& parts, int number) {
    parts.navigation.keepBookmark(number);
    parts.tip.report(GraphView::tr("This view is bookmark %1 now.").arg(number),
                     parts.pointerOrMiddle());
}

void goToBookmark(GraphView::Parts& parts, int number) {
    if (!parts.navigation.jumpToBookmark(number)) {
        parts.tip.report(
            GraphView::tr("Bookmark %1 is free; View, Keep as bookmark gives it a view.")
                .arg(number),
            parts.pointerOrMiddle());
    }
}

void moveFocus(GraphView::Parts& parts, FocusDirection direction, bool isAlongWires) {
    const NodeIds selected = selectedUnits(parts.scene);
    const std::string current = selected.empty() ? std::string() : *selected.begin();
    const NodeRects rects = parts.scene.nodeRects();
    const std::string next =
        isAlongWires && !current.empty()
            ? nodeAlongWires(shownGraph(parts.model.document(), parts.scene.groups(), {}),
                             rects,
                             current,
                             direction)
            : adjacentNode(rects, current, direction);
    if (!next.empty()) {
        parts.view.reveal(next);
    }
}

/// A command that is a function with arguments.
template <auto kFunction, auto... kArguments>
void call(GraphView::Parts& parts) {
    kFunction(parts, kArguments...);
}

/// A command that moves the view.
template <auto kMethod>
void navigate(GraphView::Parts& parts) {
    (parts.navigation.*kMethod)();
}

#define TEXT(text) QT_TRANSLATE_NOOP("Actions", text)

template <int kNumber>
constexpr CanvasCommand goTo(const char* id, const char* text, const char* keys) {
    const char* tip = TEXT("Show the view that was kept under this number");
    return {{id, text, tip, "View/Go to bookmark", keys, "", kCanvas}, call<goToBookmark, kNumber>};
}

template <int kNumber>
constexpr CanvasCommand keep(const char* id, const char* text, const char* keys) {
    const char* tip = TEXT("Keep the current view under this number, in the graph");
    return {{id, text, tip, "View/Keep as bookmark", keys}, call<keepBookmark, kNumber>};
}

// One row a line.
// clang-format off
constexpr CanvasCommand kCommands[] = {
    {{"edit.cut", TEXT("Cu&t"), TEXT("Remove the selected nodes and keep them as text"), "Edit", "Ctrl+X", "", kCanvas, kPlain, kAfterLine}, cutSelected},
    {{"edit.copy", TEXT("&Copy"), TEXT("Keep the selected nodes as text"), "Edit", "Ctrl+C", "copy", kCanvas}, copySelected},
    {{"edit.paste", TEXT("&Paste"), TEXT("Add what was copied"), "Edit", "Ctrl+V", "", kCanvas}, call<paste, !kWithWires>},
    {{"edit.paste_wires", TEXT("Paste with &wires"), TEXT("Add what was copied, wired to what fed the originals"), "Edit", "Ctrl+Shift+V", "", kCanvas}, call<paste, kWithWires>},
    {{"edit.duplicate", TEXT("&Duplicate"), TEXT("Add the selected nodes once more"), "Edit", "Ctrl+D"}, call<duplicateSelected, !kWithWires>},
    {{"edit.duplicate_wires", TEXT("Duplicate w&ith wires"), TEXT("Add the selected nodes once more, wired to what feeds them"), "Edit", "Ctrl+Shift+D"}, call<duplicateSelected, kWithWires>},
    {{"edit.delete", TEXT("De&lete"), TEXT("Remove what is selected"), "Edit", "Del Backspace", "trash", kCanvas}, call<removeSelected, !kJoining>},
    {{"edit.delete_join", TEXT("Delete and &join"), TEXT("Remove what is selected and join the wires that ran through it"), "Edit", "Ctrl+Del", "", kCanvas}, call<removeSelected, kJoining>},
    {{"edit.select_all", TEXT("Select &all"), TEXT("Select every node"), "Edit", "Ctrl+A", "", kCanvas, kPlain, kAfterLine}, selectAllNodes},
    {{"node.add", TEXT("&Add a node..."), TEXT("Search for a node and add it"), "Node", "Tab", "plus", kCanvas}, openSearch},
    {{"node.edit", TEXT("&Edit the values"), TEXT("Edit the first value of the selected node; Tab goes to the next"), "Node", "Return Enter", "", kCanvas}, editSelected},
    {{"node.wire", TEXT("Add a &wire..."), TEXT("Choose the other end of a wire of the selected node"), "Node", "C", "", kCanvas}, wireSelected},
    {{"node.rename", TEXT("&Rename"), TEXT("Give the node another title"), "Node", "F2", "", kCanvas}, renameSelected},
    {{"node.mute", TEXT("&Mute"), TEXT("Leave the node and what depends on it out of runs"), "Node", "Ctrl+M", "", kWindow, kPlain, kAfterLine}, muteSelected},
    {{"node.bypass", TEXT("&Bypass"), TEXT("Pass the value on as if the node were not there"), "Node", "Ctrl+B"}, bypassSelected},
    {{"node.collapse", TEXT("&Collapse"), TEXT("Show only the title"), "Node", "Alt+C"}, collapseSelected},
    {{"node.inputs", TEXT("&Unused inputs"), TEXT("Show the inputs without a wire one by one, or fold them"), "Node", "U", "", kCanvas}, unfoldInputsOfSelected},
    {{"node.pin", TEXT("&Pin"), TEXT("Keep the node where it is"), "Node", "P", "", kCanvas}, pinSelected},
    {{"node.frame", TEXT("&Frame"), TEXT("Draw a frame around the selected nodes"), "Node", "Ctrl+G", "", kWindow, kPlain, kAfterLine}, frameSelected},
    {{"node.group", TEXT("Ma&ke a group"), TEXT("Show the selected nodes as one"), "Node", "G", "", kCanvas}, groupSelected},
    {{"node.ungroup", TEXT("U&ngroup"), TEXT("Take the selected group apart, or the selected nodes out of their group"), "Node", "Shift+G", "", kCanvas}, ungroupSelected},
    {{"node.note", TEXT("Add a n&ote"), TEXT("Add a text to the canvas"), "Node", "Ctrl+Shift+N"}, addNote},
    {{"node.align_left", TEXT("&Left"), TEXT("Align left edges"), "Node/Align", "", "", kCanvas}, call<alignSelected, Alignment::Left>},
    {{"node.align_centre", TEXT("&Centre"), TEXT("Align centres on a vertical line"), "Node/Align", "", "", kCanvas}, call<alignSelected, Alignment::Centre>},
    {{"node.align_right", TEXT("&Right"), TEXT("Align right edges"), "Node/Align", "", "", kCanvas}, call<alignSelected, Alignment::Right>},
    {{"node.align_top", TEXT("&Top"), TEXT("Align upper edges"), "Node/Align", "", "", kCanvas, kPlain, kAfterLine}, call<alignSelected, Alignment::Top>},
    {{"node.align_middle", TEXT("&Middle"), TEXT("Align centres on a horizontal line"), "Node/Align", "", "", kCanvas}, call<alignSelected, Alignment::Middle>},
    {{"node.align_bottom", TEXT("&Bottom"), TEXT("Align lower edges"), "Node/Align", "", "", kCanvas}, call<alignSelected, Alignment::Bottom>},
    {{"node.distribute_x", TEXT("&Horizontally"), TEXT("Make equal gaps from left to right"), "Node/Distribute", "", "", kCanvas}, call<distributeSelected, Axis::Horizontal>},
    {{"node.distribute_y", TEXT("&Vertically"), TEXT("Make equal gaps from top to bottom"), "Node/Distribute", "", "", kCanvas}, call<distributeSelected, Axis::Vertical>},
    {{"node.arrange", TEXT("Arran&ge"), TEXT("Place the selected nodes, or all, along their wires"), "Node", "Ctrl+L"}, arrangeNodes},
    {{"view.zoom_in", TEXT("&Zoom in"), TEXT("Show less, larger"), "View", "Ctrl++ Ctrl+=", "zoom-in"}, navigate<&ViewNavigation::zoomIn>},
    {{"view.zoom_out", TEXT("Zoom &out"), TEXT("Show more, smaller"), "View", "Ctrl+-", "zoom-out"}, navigate<&ViewNavigation::zoomOut>},
    {{"view.zoom_actual", TEXT("&100 %"), TEXT("Show the graph at its own size"), "View", "Ctrl+1"}, navigate<&ViewNavigation::jumpToActual>},
    {{"view.fit_selected", TEXT("Fit &selected"), TEXT("Show the selected nodes as large as they fit"), "View", "F .", "", kCanvas}, fitSelected},
    {{"view.fit_all", TEXT("Fit &all"), TEXT("Show the whole graph"), "View", "Home", "fit", kCanvas}, navigate<&ViewNavigation::jumpToAll>},
    {{"view.back", TEXT("&Earlier view"), TEXT("Show what was seen before the last jump"), "View", "[", "", kCanvas, kPlain, kAfterLine}, navigate<&ViewNavigation::goBack>},
    {{"view.forward", TEXT("&Later view"), TEXT("Undo going back"), "View", "]", "", kCanvas}, navigate<&ViewNavigation::goForward>},
    goTo<1>("view.bookmark_1", TEXT("Bookmark &1"), "1"),
    goTo<2>("view.bookmark_2", TEXT("Bookmark &2"), "2"),
    goTo<3>("view.bookmark_3", TEXT("Bookmark &3"), "3"),
    goTo<4>("view.bookmark_4", TEXT("Bookmark &4"), "4"),
    goTo<5>("view.bookmark_5", TEXT("Bookmark &5"), "5"),
    goTo<6>("view.bookmark_6", TEXT("Bookmark &6"), "6"),
    goTo<7>("view.bookmark_7", TEXT("Bookmark &7"), "7"),
    goTo<8>("view.bookmark_8", TEXT("Bookmark &8"), "8"),
    goTo<9>("view.bookmark_9", TEXT("Bookmark &9"), "9"),
    keep<1>("view.keep_bookmark_1", TEXT("Bookmark &1"), "Ctrl+Shift+1"),
    keep<2>("view.keep_bookmark_2", TEXT("Bookmark &2"), "Ctrl+Shift+2"),
    keep<3>("view.keep_bookmark_3", TEXT("Bookmark &3"), "Ctrl+Shift+3"),
    keep<4>("view.keep_bookmark_4", TEXT("Bookmark &4"), "Ctrl+Shift+4"),
    keep<5>("view.keep_bookmark_5", TEXT("Bookmark &5"), "Ctrl+Shift+5"),
    keep<6>("view.keep_bookmark_6", TEXT("Bookmark &6"), "Ctrl+Shift+6"),
    keep<7>("view.keep_bookmark_7", TEXT("Bookmark &7"), "Ctrl+Shift+7"),
    keep<8>("view.keep_bookmark_8", TEXT("Bookmark &8"), "Ctrl+Shift+8"),
    keep<9>("view.keep_bookmark_9", TEXT("Bookmark &9"), "Ctrl+Shift+9"),
    {{"view.pan", TEXT("Pan while held"), TEXT("Hold and drag to move the canvas; tap to search for a node"), "Canvas", "Space", "", kKey}, openSearch, kHeld},
    {{"view.walk_left", TEXT("Node to the left"), TEXT("Select the next node to the left"), "Canvas", "Left", "", kKey}, call<moveFocus, FocusDirection::Left, !kAlongWires>},
    {{"view.walk_right", TEXT("Node to the right"), TEXT("Select the next node to the right"), "Canvas", "Right", "", kKey}, call<moveFocus, FocusDirection::Right, !kAlongWires>},
    {{"view.walk_up", TEXT("Node above"), TEXT("Select the next node above"), "Canvas", "Up", "", kKey}, call<moveFocus, FocusDirection::Up, !kAlongWires>},
    {{"view.walk_down", TEXT("Node below"), TEXT("Select the next node below"), "Canvas", "Down", "", kKey}, call<moveFocus, FocusDirection::Down, !kAlongWires>},
    {{"view.wires_left", TEXT("Back along a wire"), TEXT("Select the nearest node that feeds this one"), "Canvas", "Alt+Left", "", kKey}, call<moveFocus, FocusDirection::Left, kAlongWires>},
    {{"view.wires_right", TEXT("On along a wire"), TEXT("Select the nearest node that this one feeds"), "Canvas", "Alt+Right", "", kKey}, call<moveFocus, FocusDirection::Right, kAlongWires>},
    {{"view.wires_up", TEXT("Up among siblings"), TEXT("Select the node above that shares a source with this one"), "Canvas", "Alt+Up", "", kKey}, call<moveFocus, FocusDirection::Up, kAlongWires>},
    {{"view.wires_down", TEXT("Down among siblings"), TEXT("Select the node below that shares a source with this one"), "Canvas", "Alt+Down", "", kKey}, call<moveFocus, FocusDirection::Down, kAlongWires>},
};
// clang-format on

#undef TEXT

/// Signs that a keyboard may give only with Shift: "+" is "Ctrl++" with and without it.
bool mayNeedShift(int key) {
    const bool isLetter = key >= Qt::Key_A && key <= Qt::Key_Z;
    return key > Qt::Key_Space && key <= Qt::Key_ydiaeresis && !isLetter;
}

}  // namespace

std::span<const CanvasCommand> canvasCommands() {
    return kCommands;
}

const CanvasCommand& commandOf(std::string_view id) {
    const auto found = std::ranges::find_if(
        kCommands, [id](const CanvasCommand& command) { return command.id == id; });
    LOWTIDE_ASSERT(found != std::end(kCommands));
    return *found;
}

CanvasKeys::CanvasKeys() {
    for (const CanvasCommand& command : canvasCommands()) {
        keys_[command.id] = keysFromText(QString::fromLatin1(command.keys));
    }
}

void CanvasKeys::set(const std::string& command, const QList<QKeySequence>& keys) {
    const auto found = keys_.find(command);
    LOWTIDE_ASSERT(found != keys_.end());
    found->second = keys;
}

const QList<QKeySequence>& CanvasKeys::of(const std::string& command) const {
    const auto found = keys_.find(command);
    LOWTIDE_ASSERT(found != keys_.end());
    return found->second;
}

const CanvasCommand* CanvasKeys::commandOf(const QKeyEvent& event) const {
    const auto key = static_cast<Qt::Key>(event.key());
    const Qt::KeyboardModifiers modifiers =
        event.modifiers() & ~(Qt::KeypadModifier | Qt::GroupSwitchModifier);
    QList<QKeySequence> pressed{QKeySequence(QKeyCombination(modifiers, key))};
    if (modifiers.testFlag(Qt::ShiftModifier) && mayNeedShift(key)) {
        pressed.append(QKeySequence(QKeyCombination(modifiers & ~Qt::ShiftModifier, key)));
    }
    for (const QKeySequence& sequence : pressed) {
        for (const CanvasCommand& command : canvasCommands()) {
            if (keys_.at(command.id).contains(sequence)) {
                return &command;
            }
        }
    }
    return nullptr;
}

QList<QKeySequence> keysFromText(const QString& text) {
    QList<QKeySequence> keys;
    for (const QString& key : text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        keys.append(QKeySequence(key, QKeySequence::PortableText));
    }
    return keys;
}

}  // namespace lowtide::ui
