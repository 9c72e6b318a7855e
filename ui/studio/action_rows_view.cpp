#include "ui/studio/action_rows.hpp"

#include <QCoreApplication>

namespace lowtide::ui {

namespace {

constexpr ActionScope kKey = ActionScope::Key;

#define TEXT(text) QT_TRANSLATE_NOOP("Actions", text)

constexpr ActionDesc goTo(const char* id, const char* text) {
    const char* tip = TEXT("Show the view that was kept under this number");
    return {id, text, tip, "View/Go to bookmark", kCanvasSays, "", kCanvas};
}

constexpr ActionDesc keep(const char* id, const char* text) {
    const char* tip = TEXT("Keep the current view under this number, in the graph");
    return {id, text, tip, "View/Keep as bookmark", kCanvasSays};
}

// One row a line.
// clang-format off
constexpr ActionDesc kView[] = {
    {"view.zoom_in", TEXT("Zoom &in"), TEXT("Show less, larger"), "View", kCanvasSays, "zoom-in"},
    {"view.zoom_out", TEXT("Zoom &out"), TEXT("Show more, smaller"), "View", kCanvasSays, "zoom-out"},
    {"view.zoom_actual", TEXT("&100 %"), TEXT("Show the graph at its own size"), "View", kCanvasSays},
    {"view.fit_selected", TEXT("Fit &selected"), TEXT("Show the selected nodes as large as they fit"), "View", kCanvasSays, "", kCanvas},
    {"view.fit_all", TEXT("Fit &all"), TEXT("Show the whole graph"), "View", kCanvasSays, "fit", kCanvas},
    {"view.back", TEXT("&Earlier view"), TEXT("Show what was seen before the last jump"), "View", kCanvasSays, "", kCanvas, kPlain, kAfterLine},
    {"view.forward", TEXT("&Later view"), TEXT("Undo going back"), "View", kCanvasSays, "", kCanvas},
    goTo("view.bookmark_1", TEXT("Bookmark &1")),
    goTo("view.bookmark_2", TEXT("Bookmark &2")),
    goTo("view.bookmark_3", TEXT("Bookmark &3")),
    goTo("view.bookmark_4", TEXT("Bookmark &4")),
    goTo("view.bookmark_5", TEXT("Bookmark &5")),
    goTo("view.bookmark_6", TEXT("Bookmark &6")),
    goTo("view.bookmark_7", TEXT("Bookmark &7")),
    goTo("view.bookmark_8", TEXT("Bookmark &8")),
    goTo("view.bookmark_9", TEXT("Bookmark &9")),
    keep("view.keep_bookmark_1", TEXT("Bookmark &1")),
    keep("view.keep_bookmark_2", TEXT("Bookmark &2")),
    keep("view.keep_bookmark_3", TEXT("Bookmark &3")),
    keep("view.keep_bookmark_4", TEXT("Bookmark &4")),
    keep("view.keep_bookmark_5", TEXT("Bookmark &5")),
    keep("view.keep_bookmark_6", TEXT("Bookmark &6")),
    keep("view.keep_bookmark_7", TEXT("Bookmark &7")),
    keep("view.keep_bookmark_8", TEXT("Bookmark &8")),
    keep("view.keep_bookmark_9", TEXT("Bookmark &9")),
    {"view.minimap", TEXT("&Minimap"), TEXT("Show the whole graph in a corner, or never; by default while a part is out of view"), "View", "Alt+M", "", kWindow, kCheckable, kAfterLine},
    {"view.snap", TEXT("S&nap to the grid"), TEXT("Moved nodes snap to the grid"), "View", "Ctrl+Shift+G", "", kWindow, kCheckable},
    {"view.pan", TEXT("Pan while held"), TEXT("Hold and drag to move the canvas; tap to search for a node"), "Canvas", kCanvasSays, "", kKey},
    {"view.walk_left", TEXT("Node to the left"), TEXT("Select the next node to the left"), "Canvas", kCanvasSays, "", kKey},
    {"view.walk_right", TEXT("Node to the right"), TEXT("Select the next node to the right"), "Canvas", kCanvasSays, "", kKey},
    {"view.walk_up", TEXT("Node above"), TEXT("Select the next node above"), "Canvas", kCanvasSays, "", kKey},
    {"view.walk_down", TEXT("Node below"), TEXT("Select the next node below"), "Canvas", kCanvasSays, "", kKey},
    {"view.wires_left", TEXT("Back along a wire"), TEXT("Select the nearest node that feeds this one"), "Canvas", kCanvasSays, "", kKey},
    {"view.wires_right", TEXT("On along a wire"), TEXT("Select the nearest node that this one feeds"), "Canvas", kCanvasSays, "", kKey},
    {"view.wires_up", TEXT("Up among siblings"), TEXT("Select the node above that shares a source with this one"), "Canvas", kCanvasSays, "", kKey},
    {"view.wires_down", TEXT("Down among siblings"), TEXT("Select the node below that shares a source with this one"), "Canvas", kCanvasSays, "", kKey},
};

#undef TEXT

// clang-format on

}  // namespace

std::span<const ActionDesc> viewRows() {
    return kView;
}

}  // namespace lowtide::ui
