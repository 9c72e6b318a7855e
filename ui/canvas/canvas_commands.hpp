#pragma once

#include "ui/canvas/graph_view.hpp"

#include <QKeySequence>
#include <QList>

#include <map>
#include <span>
#include <string>
#include <string_view>

class QKeyEvent;

namespace lowtide::ui {

/// Where keys of an action work. Those that mean something else in a field or a list work only
/// while the canvas itself has the focus. Key: as Canvas, but no menu shows it, only Ctrl+/ does.
enum class ActionScope { Window, Canvas, Key };

/// One thing that the studio can do. Texts are sources for tr() in the context "Actions".
struct ActionDesc {
    const char* id;    ///< permanent: keys are stored by it
    const char* text;  ///< as menus show it
    const char* tip;   ///< a sentence; the key is added
    const char* menu;  ///< where it stands: "Edit", "Node/Align"; of a Key: its group
    const char* keys;  ///< the default ones, portable, several apart by a space; "": none
    const char* icon = "";
    ActionScope scope = ActionScope::Window;
    bool checkable = false;
    bool separated = false;  ///< a line stands before it in its menu
};

/// One thing that the canvas does, whether a key, a menu or the window asks for it.
struct CanvasCommand : ActionDesc {
    void (*act)(GraphView::Parts&);
    /// While the key is held, a drag moves the canvas; `act` follows when it is let go without one.
    bool isHeld = false;
};

/// Every command of the canvas, in the order of menus.
[[nodiscard]] std::span<const CanvasCommand> canvasCommands();

/// An unknown id is a bug of ours.
[[nodiscard]] const CanvasCommand& commandOf(std::string_view id);

/// Which key does what on the canvas: the defaults of canvasCommands() until others are set.
class CanvasKeys {
public:
    CanvasKeys();

    /// In place of the keys that the command had. An unknown command is a bug of ours.
    void set(const std::string& command, const QList<QKeySequence>& keys);
    /// Those of a command. An unknown one is a bug of ours.
    [[nodiscard]] const QList<QKeySequence>& of(const std::string& command) const;
    /// nullptr: the key does nothing here. Keys of more than one stroke never match.
    [[nodiscard]] const CanvasCommand* commandOf(const QKeyEvent& event) const;

private:
    std::map<std::string, QList<QKeySequence>> keys_;
};

/// "Ctrl+Z Ctrl+Y" as sequences.
[[nodiscard]] QList<QKeySequence> keysFromText(const QString& text);

}  // namespace lowtide::ui
