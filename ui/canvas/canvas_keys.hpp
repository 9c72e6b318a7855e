#pragma once

#include "ui/canvas/canvas_commands.hpp"

#include <QKeySequence>
#include <QList>

#include <map>
#include <string>

class QKeyEvent;

namespace lowtide::ui {

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
