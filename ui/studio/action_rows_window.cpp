#include "ui/studio/action_rows.hpp"

#include <QCoreApplication>

namespace lowtide::ui {

namespace {

#define TEXT(text) QT_TRANSLATE_NOOP("Actions", text)

// One row a line.
// clang-format off
constexpr ActionDesc kFile[] = {
    {"file.new", TEXT("&New"), TEXT("Start with the default graph"), "File", "Ctrl+N", "file"},
    {"file.open", TEXT("&Open..."), TEXT("Open a graph, or a picture that carries one"), "File", "Ctrl+O", "open"},
    {"file.save", TEXT("&Save"), TEXT("Write the graph to its file"), "File", "Ctrl+S", "save", kWindow, kPlain, kAfterLine},
    {"file.save_as", TEXT("Save &as..."), TEXT("Write the graph to another file"), "File", "Ctrl+Shift+S"},
    {"file.save_preset", TEXT("Save as &preset..."), TEXT("Keep the graph with its exposed values under Presets"), "File", "Ctrl+Alt+S"},
    {"file.backups", TEXT("Open a &backup..."), TEXT("Open what an earlier save replaced"), "File", ""},
    {"file.remove_masks", TEXT("Remove unused &masks..."), TEXT("Move masks, crops and extended images that nothing uses to the wastebasket"), "File", ""},
    {"file.quit", TEXT("&Quit"), TEXT("Close the studio"), "File", "Ctrl+Q", "", kWindow, kPlain, kAfterLine},
};

constexpr ActionDesc kRun[] = {
    {"run.start", TEXT("&Run"), TEXT("Make the pictures of this graph"), "Run", "Ctrl+Return Ctrl+Enter", "play"},
    {"run.front", TEXT("Run &first"), TEXT("Run before everything that waits"), "Run", "Ctrl+Shift+Return Ctrl+Shift+Enter"},
    {"run.anew", TEXT("Run a&new"), TEXT("Execute every node, even if it is up to date"), "Run", "Shift+F5"},
    {"run.several", TEXT("Run se&veral times..."), TEXT("Queue the graph many times, with other seeds"), "Run", "Ctrl+Shift+R"},
    {"run.for_ever", TEXT("Run for &ever"), TEXT("Run again and again until this is switched off, a run fails, or nothing changes"), "Run", "", "", kWindow, kCheckable},
    {"run.sheet", TEXT("Vary in a &sheet..."), TEXT("Run the graph with several values of one or two parameters, side by side"), "Run", "Ctrl+Shift+X", "grid"},
    {"run.here", TEXT("Run to &here"), TEXT("Execute the selected nodes and what they need"), "Run", "F6", "locate"},
    {"run.cancel", TEXT("&Cancel now"), TEXT("Stop at once; pressing Esc twice does it too"), "Run", "Ctrl+Alt+Return Ctrl+Alt+Enter", "stop", kWindow, kPlain, kAfterLine},
    {"run.cancel_after", TEXT("Cancel after this &image"), TEXT("Finish the picture that is being made, then stop"), "Run", ""},
    {"run.stop_after", TEXT("S&top after this run"), TEXT("Let the current run end, take back all that wait, and repeat nothing"), "Run", "Ctrl+Shift+Backspace", "stop-after"},
    {"run.pause", TEXT("&Pause the queue"), TEXT("Runs after the current one wait"), "Run", "Ctrl+Shift+P", "", kWindow, kCheckable},
    {"run.left_open", TEXT("Runs of &last time..."), TEXT("Run or forget what waited when the studio ended"), "Run", ""},
    {"run.release", TEXT("Release all &memory"), TEXT("Take every component and kept result off the devices"), "Run", "", "", kWindow, kPlain, kAfterLine},
};

constexpr ActionDesc kPanels[] = {
    {"view.graph", TEXT("&Graph"), TEXT("Show the canvas"), "View", "Alt+1", "", kWindow, kPlain, kAfterLine},
    {"view.viewer", TEXT("&Viewer"), TEXT("Show pictures and videos at full size"), "View", "Alt+2"},
    {"view.filmstrip", TEXT("&Filmstrip"), TEXT("Show the pictures of the gallery below the viewer"), "View", "Ctrl+Shift+F", "", kWindow, kCheckable},
    {"view.gallery", TEXT("Galler&y"), TEXT("Show the pictures of all runs"), "View", "Alt+0"},
    {"view.paint_mask", TEXT("Pain&t a mask"), TEXT("Paint over what of the viewer's picture is made anew"), "View", "Ctrl+Alt+K", "brush"},
    {"view.crop", TEXT("Crop or e&xtend"), TEXT("Cut the viewer's picture, or make room around it"), "View", "Ctrl+Alt+X", "crop"},
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

#undef TEXT

// clang-format on

}  // namespace

std::span<const ActionDesc> fileRows() {
    return kFile;
}

std::span<const ActionDesc> runRows() {
    return kRun;
}

std::span<const ActionDesc> panelRows() {
    return kPanels;
}

std::span<const ActionDesc> helpRows() {
    return kHelp;
}

}  // namespace lowtide::ui
