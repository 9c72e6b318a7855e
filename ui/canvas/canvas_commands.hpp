#pragma once

#include "ui/canvas/graph_view.hpp"

#include <QKeySequence>
#include <QList>

#include <map>
#include <span>
#include <string>

class QKeyEvent;

namespace lowtide::ui {

/// One thing that the canvas does, whether a key, a menu or the window asks for it. Ids are
/// permanent: the user's keys are stored by them.
struct CanvasCommand {
    const char* id;
    const char* keys;  ///< the default ones, portable, several apart by a space; "": none
    void (*act)(GraphView::Parts&);
    /// While the key is held, a drag moves the canvas; `act` follows when it is let go without one.
    bool isHeld = false;
};

/// Every command of the canvas, with its default keys, which are defined nowhere else.
[[nodiscard]] std::span<const CanvasCommand> canvasCommands();

/// Which key does what on the canvas: the defaults of canvasCommands() until others are set.
class CanvasKeys {
public:
    CanvasKeys();

    /// In place of the keys that the command had. An unknown command is a bug of ours.
    void set(const std::string& command, const QList<QKeySequence>& keys);
    /// nullptr: the key does nothing here. Keys of more than one stroke never match.
    [[nodiscard]] const CanvasCommand* commandOf(const QKeyEvent& event) const;

private:
    std::map<std::string, QList<QKeySequence>> keys_;
};

/// "Ctrl+Z Ctrl+Y" as sequences.
[[nodiscard]] QList<QKeySequence> keysFromText(const QString& text);

}  // namespace lowtide::ui
