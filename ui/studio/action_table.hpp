#pragma once

#include <QString>

#include <vector>

namespace lowtide::ui {

/// Where keys of an action work. Those that mean something else in a field or a list work only
/// while the canvas itself has the focus. Key: as Canvas, but no menu shows it, only Ctrl+/ does.
enum class ActionScope { Window, Canvas, Key };

/// In place of keys: canvasCommands() defines them.
inline constexpr const char* kCanvasContext = nullptr;

/// One thing that the studio can do. Texts are sources for tr() in the context "Actions".
struct ActionDesc {
    const char* id;    ///< permanent: keys are stored by it
    const char* text;  ///< as menus show it
    const char* tip;   ///< a sentence; the key is added
    const char* menu;  ///< where it stands: "Edit", "Node/Align"; of a Key: its group
    const char* keys;  ///< portable, several apart by a space; "": none; or kCanvasContext
    const char* icon = "";
    ActionScope scope = ActionScope::Window;
    bool checkable = false;
    bool separated = false;  ///< a line stands before it in its menu
};

/// Every action, in the order of menus.
[[nodiscard]] std::vector<ActionDesc> actionTable();

}  // namespace lowtide::ui
