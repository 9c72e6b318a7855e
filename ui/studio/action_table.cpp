// Every action in the order of menus: those of the window, and between them the canvas's commands.
#include "ui/studio/actions.hpp"

#include <QCoreApplication>

#include <span>
#include <string_view>

namespace lowtide::ui {

namespace {

constexpr ActionScope kWindow = ActionScope::Window;
constexpr bool kPlain = false;  ///< not checkable
constexpr bool kCheckable = true;
constexpr bool kAfterLine = true;

#define TEXT(text) QT_TRANSLATE_NOOP("Actions", text)

// One row a line.
// clang-format off
constexpr ActionDesc kSteps[] = {
    {"edit.undo", TEXT("&Undo"), TEXT("Undo the last step"), "Edit", "Ctrl+Z", "undo"},
    {"edit.redo", TEXT("&Redo"), TEXT("Redo the step"), "Edit", "Ctrl+Shift+Z Ctrl+Y", "redo"},
};

constexpr ActionDesc kEdit[] = {
    {"edit.find", TEXT("&Find a node..."), TEXT("Go to a node by its name or a value in it"), "Edit", "Ctrl+F", "search"},
    {"prompt.complete", TEXT("&Complete the word"), TEXT("Offer what the word at the cursor of a prompt may become"), "Edit/Prompt", "Ctrl+Shift+Space"},
    {"prompt.styles", TEXT("&Styles..."), TEXT("Apply a style to the prompt, or save its text as one"), "Edit/Prompt", "Ctrl+Shift+L"},
    {"prompt.earlier", TEXT("&Earlier prompts..."), TEXT("Take a prompt of an earlier run"), "Edit/Prompt", "Ctrl+H"},
    {"prompt.wildcards", TEXT("Open the folder of &wildcards"), TEXT("Files of lines that __name__ in a prompt draws from"), "Edit/Prompt", ""},
    {"edit.settings", TEXT("&Settings..."), TEXT("Folders, appearance, memory and what is asked once"), "Edit", "Ctrl+,", "settings", kWindow, kPlain, kAfterLine},
    {"edit.keys", TEXT("&Keys..."), TEXT("Show every key, and change it"), "Edit", "Ctrl+/"},
};

constexpr ActionDesc kView[] = {
    {"view.minimap", TEXT("&Minimap"), TEXT("Show the whole graph in a corner, or never; by default while a part is out of view"), "View", "Alt+M", "", kWindow, kCheckable, kAfterLine},
    {"view.snap", TEXT("S&nap to the grid"), TEXT("Moved nodes snap to the grid"), "View", "Ctrl+Shift+G", "", kWindow, kCheckable},
};

constexpr ActionDesc kFile[] = {
    {"file.new", TEXT("&New"), TEXT("Open the default graph in a new tab"), "File", "Ctrl+N Ctrl+T", "file"},
    {"file.open", TEXT("&Open..."), TEXT("Open a graph, or an image that carries one"), "File", "Ctrl+O", "open"},
    {"file.save", TEXT("&Save"), TEXT("Write the graph to its file"), "File", "Ctrl+S", "save", kWindow, kPlain, kAfterLine},
    {"file.save_as", TEXT("Save &as..."), TEXT("Write the graph to another file"), "File", "Ctrl+Shift+S"},
    {"file.save_preset", TEXT("Save as &preset..."), TEXT("Keep the graph with its exposed values under Presets"), "File", "Ctrl+Alt+S"},
    {"file.backups", TEXT("Open a &backup..."), TEXT("Open what an earlier save replaced"), "File", ""},
    {"file.remove_masks", TEXT("Remove unused &masks..."), TEXT("Move masks, crops and extended images that nothing uses to the wastebasket"), "File", ""},
    {"file.close", TEXT("&Close"), TEXT("Close the graph that is shown"), "File", "Ctrl+W", "", kWindow, kPlain, kAfterLine},
    {"file.next", TEXT("Ne&xt graph"), TEXT("Show the next open graph"), "File", "Ctrl+Tab Ctrl+PgDown"},
    {"file.previous", TEXT("Pre&vious graph"), TEXT("Show the previous open graph"), "File", "Ctrl+Shift+Tab Ctrl+PgUp"},
    {"file.quit", TEXT("&Quit"), TEXT("Close the studio"), "File", "Ctrl+Q", "", kWindow, kPlain, kAfterLine},
};

constexpr ActionDesc kRun[] = {
    {"run.start", TEXT("&Run"), TEXT("Make the images of this graph"), "Run", "Ctrl+Return Ctrl+Enter", "play"},
    {"run.front", TEXT("Run &next"), TEXT("Run before everything that waits"), "Run", "Ctrl+Shift+Return Ctrl+Shift+Enter"},
    {"run.anew", TEXT("Run &again"), TEXT("Execute every node, even if it is up to date"), "Run", "Shift+F5"},
    {"run.several", TEXT("Run se&veral times..."), TEXT("Queue the graph many times, with other seeds"), "Run", "Ctrl+Shift+R"},
    {"run.for_ever", TEXT("Run for&ever"), TEXT("Run again and again until this is switched off, a run fails, or nothing changes"), "Run", "", "", kWindow, kCheckable},
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
    {"view.full_screen", TEXT("Full sc&reen"), TEXT("Show the viewer's image on the whole screen; Esc brings the window back"), "View", "F11", "expand", kWindow, kCheckable},
    {"view.hide_panels", TEXT("Hi&de all panels"), TEXT("Hide the panels, and bring them back as they were"), "View", "Ctrl+Shift+H", "", kWindow, kCheckable},
    {"view.filmstrip", TEXT("&Filmstrip"), TEXT("Show the images of the gallery below the viewer"), "View", "Ctrl+Shift+F", "", kWindow, kCheckable},
    {"view.gallery", TEXT("Galler&y"), TEXT("Show the images of all runs"), "View", "Alt+0"},
    {"view.paint_mask", TEXT("Pa&int a mask"), TEXT("Paint over the part of the viewer's image to regenerate"), "View", "Ctrl+Alt+K", "brush"},
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
    {"view.reset", TEXT("Rese&t panels"), TEXT("Put every panel back to its place"), "View", ""},
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
    {"help.guide", TEXT("&Guide"), TEXT("Read and search the guide"), "Help", "Ctrl+F1", "help"},
    {"help.node", TEXT("&Help on the node"), TEXT("Show what the selected node does"), "Help", "F1"},
    {"help.tour", TEXT("&Tour"), TEXT("Take a one-minute tour of the window"), "Help", ""},
    {"help.first", TEXT("&First steps..."), TEXT("Show what the studio offered at its first start"), "Help", ""},
    {"help.report", TEXT("&Report a problem..."), TEXT("Collect versions, plan, report and log, without folders and names, to save or copy"), "Help", ""},
    {"help.about", TEXT("&About Lowtide"), TEXT("Version, licence and what it is built on"), "Help", "", "", kWindow, kPlain, kAfterLine},
};
// clang-format on

#undef TEXT

}  // namespace

std::vector<ActionDesc> actionTable() {
    std::vector<ActionDesc> table;
    const auto add = [&table](std::span<const ActionDesc> rows) {
        table.insert(table.end(), rows.begin(), rows.end());
    };
    const auto addCanvas = [&table](const char* menu) {
        for (const CanvasCommand& command : canvasCommands()) {
            if (std::string_view(command.menu).starts_with(menu)) {
                table.push_back(command);
            }
        }
    };
    add(kFile);
    add(kSteps);
    addCanvas("Edit");
    add(kEdit);
    addCanvas("Node");
    add(kRun);
    addCanvas("View");
    add(kView);
    addCanvas("Canvas");
    add(kPanels);
    add(kHelp);
    return table;
}

}  // namespace lowtide::ui
