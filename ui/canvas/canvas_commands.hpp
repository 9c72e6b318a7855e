#pragma once

#include <span>

namespace lowtide::ui {

class GraphView;

/// One thing that the canvas does by key. Ids are permanent: a person's keys are stored by them.
struct CanvasCommand {
    const char* id;
    const char* keys;  ///< the default ones, portable, several apart by a space; "": none
    void (*act)(GraphView&);
    /// While the key is held, a drag moves the canvas; `act` follows when it is let go without one.
    bool isHeld = false;
};

/// Every command of the canvas: the only place of its default keys.
[[nodiscard]] std::span<const CanvasCommand> canvasCommands();

}  // namespace lowtide::ui
