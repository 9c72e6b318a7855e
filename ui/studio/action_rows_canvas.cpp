#include "ui/studio/action_rows.hpp"

#include <QCoreApplication>

namespace lowtide::ui {

namespace {

#define TEXT(text) QT_TRANSLATE_NOOP("Actions", text)

// One row a line.
// clang-format off
constexpr ActionDesc kEdit[] = {
    {"edit.undo", TEXT("&Undo"), TEXT("Undo the last step"), "Edit", "Ctrl+Z", "undo"},
    {"edit.redo", TEXT("&Redo"), TEXT("Redo the step"), "Edit", "Ctrl+Shift+Z Ctrl+Y", "redo"},
    {"edit.cut", TEXT("Cu&t"), TEXT("Remove the selected nodes and keep them as text"), "Edit", kCanvasSays, "", kCanvas, kPlain, kAfterLine},
    {"edit.copy", TEXT("&Copy"), TEXT("Keep the selected nodes as text"), "Edit", kCanvasSays, "copy", kCanvas},
    {"edit.paste", TEXT("&Paste"), TEXT("Add what was copied"), "Edit", kCanvasSays, "", kCanvas},
    {"edit.paste_wires", TEXT("Paste with &wires"), TEXT("Add what was copied, wired to what fed the originals"), "Edit", kCanvasSays, "", kCanvas},
    {"edit.duplicate", TEXT("&Duplicate"), TEXT("Add the selected nodes once more"), "Edit", kCanvasSays},
    {"edit.duplicate_wires", TEXT("Duplicate w&ith wires"), TEXT("Add the selected nodes once more, wired to what feeds them"), "Edit", kCanvasSays},
    {"edit.delete", TEXT("De&lete"), TEXT("Remove what is selected"), "Edit", kCanvasSays, "trash", kCanvas},
    {"edit.delete_join", TEXT("Delete and &join"), TEXT("Remove what is selected and join the wires that ran through it"), "Edit", kCanvasSays, "", kCanvas},
    {"edit.select_all", TEXT("Select &all"), TEXT("Select every node"), "Edit", kCanvasSays, "", kCanvas, kPlain, kAfterLine},
    {"edit.find", TEXT("&Find a node..."), TEXT("Go to a node by its name or a value in it"), "Edit", "Ctrl+F", "search"},
    {"prompt.complete", TEXT("&Complete the word"), TEXT("Offer what the word at the cursor of a prompt may become"), "Edit/Prompt", "Ctrl+Shift+Space"},
    {"prompt.styles", TEXT("&Styles..."), TEXT("Apply a style to the prompt, or save its text as one"), "Edit/Prompt", "Ctrl+Shift+L"},
    {"prompt.earlier", TEXT("&Earlier prompts..."), TEXT("Take a prompt of an earlier run"), "Edit/Prompt", "Ctrl+H"},
    {"prompt.wildcards", TEXT("Open the folder of &wildcards"), TEXT("Files of lines that __name__ in a prompt draws from"), "Edit/Prompt", ""},
    {"edit.settings", TEXT("&Settings..."), TEXT("Folders, appearance, memory and what is asked once"), "Edit", "Ctrl+,", "settings", kWindow, kPlain, kAfterLine},
    {"edit.keys", TEXT("&Keys..."), TEXT("Show every key, and change it"), "Edit", "Ctrl+/"},
};

constexpr ActionDesc kNode[] = {
    {"node.add", TEXT("&Add a node..."), TEXT("Search for a node and add it"), "Node", kCanvasSays, "plus", kCanvas},
    {"node.edit", TEXT("&Edit the values"), TEXT("Edit the first value of the selected node; Tab goes to the next"), "Node", kCanvasSays, "", kCanvas},
    {"node.wire", TEXT("Add a &wire..."), TEXT("Choose the other end of a wire of the selected node"), "Node", kCanvasSays, "", kCanvas},
    {"node.rename", TEXT("&Rename"), TEXT("Give the node another title"), "Node", kCanvasSays, "", kCanvas},
    {"node.mute", TEXT("&Mute"), TEXT("Leave the node and what depends on it out of runs"), "Node", kCanvasSays, "", kWindow, kPlain, kAfterLine},
    {"node.bypass", TEXT("&Bypass"), TEXT("Pass the value on as if the node were not there"), "Node", kCanvasSays},
    {"node.collapse", TEXT("&Collapse"), TEXT("Show only the title"), "Node", kCanvasSays},
    {"node.pin", TEXT("&Pin"), TEXT("Keep the node where it is"), "Node", kCanvasSays, "", kCanvas},
    {"node.frame", TEXT("&Frame"), TEXT("Draw a frame around the selected nodes"), "Node", kCanvasSays, "", kWindow, kPlain, kAfterLine},
    {"node.note", TEXT("Add a n&ote"), TEXT("Add a text to the canvas"), "Node", kCanvasSays},
    {"node.align_left", TEXT("&Left"), TEXT("Align left edges"), "Node/Align", "", "", kCanvas},
    {"node.align_centre", TEXT("&Centre"), TEXT("Align centres on a vertical line"), "Node/Align", "", "", kCanvas},
    {"node.align_right", TEXT("&Right"), TEXT("Align right edges"), "Node/Align", "", "", kCanvas},
    {"node.align_top", TEXT("&Top"), TEXT("Align upper edges"), "Node/Align", "", "", kCanvas, kPlain, kAfterLine},
    {"node.align_middle", TEXT("&Middle"), TEXT("Align centres on a horizontal line"), "Node/Align", "", "", kCanvas},
    {"node.align_bottom", TEXT("&Bottom"), TEXT("Align lower edges"), "Node/Align", "", "", kCanvas},
    {"node.distribute_x", TEXT("&Horizontally"), TEXT("Make equal gaps from left to right"), "Node/Distribute", "", "", kCanvas},
    {"node.distribute_y", TEXT("&Vertically"), TEXT("Make equal gaps from top to bottom"), "Node/Distribute", "", "", kCanvas},
    {"node.arrange", TEXT("Arran&ge"), TEXT("Place the selected nodes, or all, along their wires"), "Node", kCanvasSays},
};

#undef TEXT

// clang-format on

}  // namespace

std::span<const ActionDesc> editRows() {
    return kEdit;
}

std::span<const ActionDesc> nodeRows() {
    return kNode;
}

}  // namespace lowtide::ui
