#include "ui/studio/action_table.hpp"

#include <QCoreApplication>

#include <initializer_list>
#include <span>

namespace lowtide::ui {

namespace {

constexpr ActionScope kWindow = ActionScope::Window;
constexpr ActionScope kCanvas = ActionScope::Canvas;
constexpr ActionScope kKey = ActionScope::Key;
constexpr bool kPlain = false;  ///< not checkable
constexpr bool kCheckable = true;
constexpr bool kAfterLine = true;

#define TEXT(text) QT_TRANSLATE_NOOP("Actions", text)

constexpr ActionDesc goTo(const char* id, const char* text) {
    const char* tip = TEXT("Show the view that was kept under this number");
    return {id, text, tip, "View/Go to bookmark", kCanvasContext, "", kCanvas};
}

constexpr ActionDesc keep(const char* id, const char* text) {
    const char* tip = TEXT("Keep the current view under this number, in the graph");
    return {id, text, tip, "View/Keep as bookmark", kCanvasContext};
}

// One row a line.
// clang-format off
constexpr ActionDesc kEdit[] = {
    {"edit.undo", TEXT("&Undo"), TEXT("Undo the last step"), "Edit", "Ctrl+Z", "undo"},
    {"edit.redo", TEXT("&Redo"), TEXT("Redo the step"), "Edit", "Ctrl+Shift+Z Ctrl+Y", "redo"},
    {"edit.cut", TEXT("Cu&t"), TEXT("Remove the selected nodes and keep them as text"), "Edit", kCanvasContext, "", kCanvas, kPlain, kAfterLine},
    {"edit.copy", TEXT("&Copy"), TEXT("Keep the selected nodes as text"), "Edit", kCanvasContext, "copy", kCanvas},
    {"edit.paste", TEXT("&Paste"), TEXT("Add what was copied"), "Edit", kCanvasContext, "", kCanvas},
    {"edit.paste_wires", TEXT("Paste with &wires"), TEXT("Add what was copied, wired to what fed the originals"), "Edit", kCanvasContext, "", kCanvas},
    {"edit.duplicate", TEXT("&Duplicate"), TEXT("Add the selected nodes once more"), "Edit", kCanvasContext},
    {"edit.duplicate_wires", TEXT("Duplicate w&ith wires"), TEXT("Add the selected nodes once more, wired to what feeds them"), "Edit", kCanvasContext},
    {"edit.delete", TEXT("De&lete"), TEXT("Remove what is selected"), "Edit", kCanvasContext, "trash", kCanvas},
    {"edit.delete_join", TEXT("Delete and &join"), TEXT("Remove what is selected and join the wires that ran through it"), "Edit", kCanvasContext, "", kCanvas},
    {"edit.select_all", TEXT("Select &all"), TEXT("Select every node"), "Edit", kCanvasContext, "", kCanvas, kPlain, kAfterLine},
    {"edit.find", TEXT("&Find a node..."), TEXT("Go to a node by its name or a value in it"), "Edit", "Ctrl+F", "search"},
    {"prompt.complete", TEXT("&Complete the word"), TEXT("Offer what the word at the cursor of a prompt may become"), "Edit/Prompt", "Ctrl+Shift+Space"},
    {"prompt.styles", TEXT("&Styles..."), TEXT("Apply a style to the prompt, or save its text as one"), "Edit/Prompt", "Ctrl+Shift+L"},
    {"prompt.earlier", TEXT("&Earlier prompts..."), TEXT("Take a prompt of an earlier run"), "Edit/Prompt", "Ctrl+H"},
    {"prompt.wildcards", TEXT("Open the folder of &wildcards"), TEXT("Files of lines that __name__ in a prompt draws from"), "Edit/Prompt", ""},
    {"edit.settings", TEXT("&Settings..."), TEXT("Folders, appearance, memory and what is asked once"), "Edit", "Ctrl+,", "settings", kWindow, kPlain, kAfterLine},
    {"edit.keys", TEXT("&Keys..."), TEXT("Show every key, and change it"), "Edit", "Ctrl+/"},
};

constexpr ActionDesc kNode[] = {
    {"node.add", TEXT("&Add a node..."), TEXT("Search for a node and add it"), "Node", kCanvasContext, "plus", kCanvas},
    {"node.edit", TEXT("&Edit the values"), TEXT("Edit the first value of the selected node; Tab goes to the next"), "Node", kCanvasContext, "", kCanvas},
    {"node.wire", TEXT("Add a &wire..."), TEXT("Choose the other end of a wire of the selected node"), "Node", kCanvasContext, "", kCanvas},
    {"node.rename", TEXT("&Rename"), TEXT("Give the node another title"), "Node", kCanvasContext, "", kCanvas},
    {"node.mute", TEXT("&Mute"), TEXT("Leave the node and what depends on it out of runs"), "Node", kCanvasContext, "", kWindow, kPlain, kAfterLine},
    {"node.bypass", TEXT("&Bypass"), TEXT("Pass the value on as if the node were not there"), "Node", kCanvasContext},
    {"node.collapse", TEXT("&Collapse"), TEXT("Show only the title"), "Node", kCanvasContext},
    {"node.pin", TEXT("&Pin"), TEXT("Keep the node where it is"), "Node", kCanvasContext, "", kCanvas},
    {"node.frame", TEXT("&Frame"), TEXT("Draw a frame around the selected nodes"), "Node", kCanvasContext, "", kWindow, kPlain, kAfterLine},
    {"node.note", TEXT("Add a n&ote"), TEXT("Add a text to the canvas"), "Node", kCanvasContext},
    {"node.align_left", TEXT("&Left"), TEXT("Align left edges"), "Node/Align", kCanvasContext, "", kCanvas},
    {"node.align_centre", TEXT("&Centre"), TEXT("Align centres on a vertical line"), "Node/Align", kCanvasContext, "", kCanvas},
    {"node.align_right", TEXT("&Right"), TEXT("Align right edges"), "Node/Align", kCanvasContext, "", kCanvas},
    {"node.align_top", TEXT("&Top"), TEXT("Align upper edges"), "Node/Align", kCanvasContext, "", kCanvas, kPlain, kAfterLine},
    {"node.align_middle", TEXT("&Middle"), TEXT("Align centres on a horizontal line"), "Node/Align", kCanvasContext, "", kCanvas},
    {"node.align_bottom", TEXT("&Bottom"), TEXT("Align lower edges"), "Node/Align", kCanvasContext, "", kCanvas},
    {"node.distribute_x", TEXT("&Horizontally"), TEXT("Make equal gaps from left to right"), "Node/Distribute", kCanvasContext, "", kCanvas},
    {"node.distribute_y", TEXT("&Vertically"), TEXT("Make equal gaps from top to bottom"), "Node/Distribute", kCanvasContext, "", kCanvas},
    {"node.arrange", TEXT("Arran&ge"), TEXT("Place the selected nodes, or all, along their wires"), "Node", kCanvasContext},
};

constexpr ActionDesc kView[] = {
    {"view.zoom_in", TEXT("Zoom &in"), TEXT("Show less, larger"), "View", kCanvasContext, "zoom-in"},
    {"view.zoom_out", TEXT("Zoom &out"), TEXT("Show more, smaller"), "View", kCanvasContext, "zoom-out"},
    {"view.zoom_actual", TEXT("&100 %"), TEXT("Show the graph at its own size"), "View", kCanvasContext},
    {"view.fit_selected", TEXT("Fit &selected"), TEXT("Show the selected nodes as large as they fit"), "View", kCanvasContext, "", kCanvas},
    {"view.fit_all", TEXT("Fit &all"), TEXT("Show the whole graph"), "View", kCanvasContext, "fit", kCanvas},
    {"view.back", TEXT("&Earlier view"), TEXT("Show what was seen before the last jump"), "View", kCanvasContext, "", kCanvas, kPlain, kAfterLine},
    {"view.forward", TEXT("&Later view"), TEXT("Undo going back"), "View", kCanvasContext, "", kCanvas},
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
    {"view.pan", TEXT("Pan while held"), TEXT("Hold and drag to move the canvas; tap to search for a node"), "Canvas", kCanvasContext, "", kKey},
    {"view.walk_left", TEXT("Node to the left"), TEXT("Select the next node to the left"), "Canvas", kCanvasContext, "", kKey},
    {"view.walk_right", TEXT("Node to the right"), TEXT("Select the next node to the right"), "Canvas", kCanvasContext, "", kKey},
    {"view.walk_up", TEXT("Node above"), TEXT("Select the next node above"), "Canvas", kCanvasContext, "", kKey},
    {"view.walk_down", TEXT("Node below"), TEXT("Select the next node below"), "Canvas", kCanvasContext, "", kKey},
    {"view.wires_left", TEXT("Back along a wire"), TEXT("Select the nearest node that feeds this one"), "Canvas", kCanvasContext, "", kKey},
    {"view.wires_right", TEXT("On along a wire"), TEXT("Select the nearest node that this one feeds"), "Canvas", kCanvasContext, "", kKey},
    {"view.wires_up", TEXT("Up among siblings"), TEXT("Select the node above that shares a source with this one"), "Canvas", kCanvasContext, "", kKey},
    {"view.wires_down", TEXT("Down among siblings"), TEXT("Select the node below that shares a source with this one"), "Canvas", kCanvasContext, "", kKey},
};

constexpr ActionDesc kFile[] = {
    {"file.new", TEXT("&New"), TEXT("Start with the default graph"), "File", "Ctrl+N", "file"},
    {"file.open", TEXT("&Open..."), TEXT("Open a graph, or an image that carries one"), "File", "Ctrl+O", "open"},
    {"file.save", TEXT("&Save"), TEXT("Write the graph to its file"), "File", "Ctrl+S", "save", kWindow, kPlain, kAfterLine},
    {"file.save_as", TEXT("Save &as..."), TEXT("Write the graph to another file"), "File", "Ctrl+Shift+S"},
    {"file.save_preset", TEXT("Save as &preset..."), TEXT("Keep the graph with its exposed values under Presets"), "File", "Ctrl+Alt+S"},
    {"file.backups", TEXT("Open a &backup..."), TEXT("Open what an earlier save replaced"), "File", ""},
    {"file.remove_masks", TEXT("Remove unused &masks..."), TEXT("Move masks, crops and extended images that nothing uses to the wastebasket"), "File", ""},
    {"file.quit", TEXT("&Quit"), TEXT("Close the studio"), "File", "Ctrl+Q", "", kWindow, kPlain, kAfterLine},
};

constexpr ActionDesc kRun[] = {
    {"run.start", TEXT("&Run"), TEXT("Make the images of this graph"), "Run", "Ctrl+Return Ctrl+Enter", "play"},
    {"run.front", TEXT("Run &first"), TEXT("Run before everything that waits"), "Run", "Ctrl+Shift+Return Ctrl+Shift+Enter"},
    {"run.anew", TEXT("Run &again"), TEXT("Execute every node, even if it is up to date"), "Run", "Shift+F5"},
    {"run.several", TEXT("Run se&veral times..."), TEXT("Queue the graph many times, with other seeds"), "Run", "Ctrl+Shift+R"},
    {"run.for_ever", TEXT("Run for &ever"), TEXT("Run again and again until this is switched off, a run fails, or nothing changes"), "Run", "", "", kWindow, kCheckable},
    {"run.sheet", TEXT("Vary in a &sheet..."), TEXT("Run the graph with several values of one or two parameters, side by side"), "Run", "Ctrl+Shift+X", "grid"},
    {"run.here", TEXT("Run to &here"), TEXT("Execute the selected nodes and what they need"), "Run", "F6", "locate"},
    {"run.cancel", TEXT("&Cancel now"), TEXT("Stop at once; pressing Esc twice does it too"), "Run", "Ctrl+Alt+Return Ctrl+Alt+Enter", "stop", kWindow, kPlain, kAfterLine},
    {"run.cancel_after", TEXT("Cancel after this &image"), TEXT("Finish the image that is being made, then stop"), "Run", ""},
    {"run.stop_after", TEXT("S&top after this run"), TEXT("Let the current run end, take back all that wait, and repeat nothing"), "Run", "Ctrl+Shift+Backspace", "stop-after"},
    {"run.pause", TEXT("&Pause the queue"), TEXT("Runs after the current one wait"), "Run", "Ctrl+Shift+P", "", kWindow, kCheckable},
    {"run.left_open", TEXT("Runs of &last time..."), TEXT("Run or forget what waited when the studio ended"), "Run", ""},
    {"run.release", TEXT("Release all &memory"), TEXT("Take every component and kept result off the devices"), "Run", "", "", kWindow, kPlain, kAfterLine},
};

constexpr ActionDesc kPanels[] = {
    {"view.graph", TEXT("&Graph"), TEXT("Show the canvas"), "View", "Alt+1", "", kWindow, kPlain, kAfterLine},
    {"view.viewer", TEXT("&Viewer"), TEXT("Show images and videos at full size"), "View", "Alt+2"},
    {"view.filmstrip", TEXT("&Filmstrip"), TEXT("Show the images of the gallery below the viewer"), "View", "Ctrl+Shift+F", "", kWindow, kCheckable},
    {"view.gallery", TEXT("Galler&y"), TEXT("Show the images of all runs"), "View", "Alt+0"},
    {"view.paint_mask", TEXT("Pain&t a mask"), TEXT("Paint over the part of the viewer's image to regenerate"), "View", "Ctrl+Alt+K", "brush"},
    {"view.crop", TEXT("Crop or e&xtend"), TEXT("Cut the viewer's image, or add space around it"), "View", "Ctrl+Alt+X", "crop"},
    {"view.sheet", TEXT("S&heet"), TEXT("Show the sheet that was opened last, or the newest"), "View", "Alt+X"},
    {"view.presets", TEXT("P&resets"), TEXT("Show saved graphs"), "View/Panels", "Alt+3"},
    {"view.models", TEXT("&Models"), TEXT("Show files of models"), "View/Panels", "Alt+4"},
    {"view.inspector", TEXT("&Inspector"), TEXT("Show the values of what is selected"), "View/Panels", "Alt+5"},
    {"view.generate", TEXT("&Generate"), TEXT("Show the form of exposed values"), "View/Panels", "Alt+6"},
    {"view.memory", TEXT("M&emory"), TEXT("Show the plan and what is held now"), "View/Panels", "Alt+7"},
    {"view.queue", TEXT("&Queue"), TEXT("Show waiting and finished runs"), "View/Panels", "Alt+8"},
    {"view.issues", TEXT("I&ssues"), TEXT("Show what is wrong, and where"), "View/Panels", "Alt+9 Ctrl+`"},
    {"view.log", TEXT("&Log"), TEXT("Show what the engine and the studio wrote to their logs"), "View/Panels", "Ctrl+Shift+J"},
    {"view.next_panel", TEXT("Ne&xt panel"), TEXT("Move the keyboard to the next panel, out of the canvas too"), "View/Panels", "Ctrl+F6", "", kWindow, kPlain, kAfterLine},
    {"view.previous_panel", TEXT("Pre&vious panel"), TEXT("Move the keyboard to the panel before"), "View/Panels", "Ctrl+Shift+F6"},
    {"view.reset", TEXT("&Reset panels"), TEXT("Put every panel back to its place"), "View", ""},
    {"view.light", TEXT("&Light"), TEXT("Light colours"), "View/Appearance", "", "", kWindow, kCheckable},
    {"view.dark", TEXT("&Dark"), TEXT("Dark colours"), "View/Appearance", "", "", kWindow, kCheckable},
    {"view.light_contrast", TEXT("Light, &high contrast"), TEXT("Black on white, strong lines"), "View/Appearance", "", "", kWindow, kCheckable},
    {"view.dark_contrast", TEXT("Dark, high &contrast"), TEXT("White on black, strong lines"), "View/Appearance", "", "", kWindow, kCheckable},
    {"view.system", TEXT("As the &system"), TEXT("The desktop's colours"), "View/Appearance", "", "", kWindow, kCheckable},
    {"language.system", TEXT("As the &system"), TEXT("Speak the desktop's language"), "View/Language", "", "", kWindow, kCheckable},
    {"language.en", TEXT("&English"), TEXT("Speak English"), "View/Language", "", "", kWindow, kCheckable},
    {"language.zh_CN", TEXT("&简体中文"), TEXT("Speak Chinese"), "View/Language", "", "", kWindow, kCheckable},
};

constexpr ActionDesc kHelp[] = {
    {"help.node", TEXT("&Help on the node"), TEXT("Show what the selected node does"), "Help", "F1"},
    {"help.first", TEXT("&First steps..."), TEXT("Show what the studio offered at its first start"), "Help", ""},
    {"help.report", TEXT("&Report a problem..."), TEXT("Collect versions, plan, report and log, without folders and names, to save or copy"), "Help", ""},
    {"help.about", TEXT("&About Lowtide"), TEXT("Version, licence and what it is built on"), "Help", "", "", kWindow, kPlain, kAfterLine},
};
// clang-format on

#undef TEXT

using Rows = std::span<const ActionDesc>;

}  // namespace

std::vector<ActionDesc> actionTable() {
    std::vector<ActionDesc> table;
    for (const Rows rows : {Rows(kFile),
                            Rows(kEdit),
                            Rows(kNode),
                            Rows(kRun),
                            Rows(kView),
                            Rows(kPanels),
                            Rows(kHelp)}) {
        table.insert(table.end(), rows.begin(), rows.end());
    }
    return table;
}

}  // namespace lowtide::ui
