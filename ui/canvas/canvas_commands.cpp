#include "ui/canvas/canvas_commands.hpp"

#include "ui/canvas/graph_view.hpp"
#include "ui/canvas/navigation.hpp"

namespace lowtide::ui {

namespace {

template <auto kSlot>
void call(GraphView& view) {
    (view.*kSlot)();
}

template <WalkDirection kDirection>
void walk(GraphView& view) {
    view.walk(static_cast<int>(kDirection));
}

template <WalkDirection kDirection>
void walkWires(GraphView& view) {
    view.walkWires(static_cast<int>(kDirection));
}

constexpr CanvasCommand kCommands[] = {
    {"edit.cut", "Ctrl+X", call<&GraphView::cut>},
    {"edit.copy", "Ctrl+C", call<&GraphView::copy>},
    {"edit.paste", "Ctrl+V", call<&GraphView::paste>},
    {"edit.paste_wires", "Ctrl+Shift+V", call<&GraphView::pasteWithWires>},
    {"edit.duplicate", "Ctrl+D", call<&GraphView::duplicate>},
    {"edit.duplicate_wires", "Ctrl+Shift+D", call<&GraphView::duplicateWithWires>},
    {"edit.delete", "Del Backspace", call<&GraphView::removeSelected>},
    {"edit.delete_join", "Ctrl+Del", call<&GraphView::removeSelectedJoining>},
    {"edit.select_all", "Ctrl+A", call<&GraphView::selectAllNodes>},
    {"node.add", "Tab", call<&GraphView::openSearch>},
    {"node.edit", "Return Enter", call<&GraphView::editSelected>},
    {"node.rename", "F2", call<&GraphView::renameSelected>},
    {"node.mute", "Ctrl+M", call<&GraphView::muteSelected>},
    {"node.bypass", "Ctrl+B", call<&GraphView::bypassSelected>},
    {"node.collapse", "Alt+C", call<&GraphView::collapseSelected>},
    {"node.pin", "P", call<&GraphView::pinSelected>},
    {"node.frame", "Ctrl+G", call<&GraphView::frameSelected>},
    {"node.note", "Ctrl+Shift+N", call<&GraphView::addNote>},
    {"node.arrange", "Ctrl+L", call<&GraphView::arrangeNodes>},
    {"view.zoom_in", "Ctrl++ Ctrl+=", call<&GraphView::zoomIn>},
    {"view.zoom_out", "Ctrl+-", call<&GraphView::zoomOut>},
    {"view.zoom_actual", "Ctrl+1", call<&GraphView::zoomToActual>},
    {"view.fit_selected", "F .", call<&GraphView::zoomToSelected>},
    {"view.fit_all", "Home", call<&GraphView::zoomToAll>},
    {"view.pan", "Space", call<&GraphView::openSearch>, true},
    {"view.walk_left", "Left", walk<WalkDirection::Left>},
    {"view.walk_right", "Right", walk<WalkDirection::Right>},
    {"view.walk_up", "Up", walk<WalkDirection::Up>},
    {"view.walk_down", "Down", walk<WalkDirection::Down>},
    {"view.wires_left", "Alt+Left", walkWires<WalkDirection::Left>},
    {"view.wires_right", "Alt+Right", walkWires<WalkDirection::Right>},
    {"view.wires_up", "Alt+Up", walkWires<WalkDirection::Up>},
    {"view.wires_down", "Alt+Down", walkWires<WalkDirection::Down>},
};

}  // namespace

std::span<const CanvasCommand> canvasCommands() {
    return kCommands;
}

}  // namespace lowtide::ui
