#pragma once

#include "ui/studio/action_table.hpp"

#include <span>

namespace lowtide::ui {

inline constexpr ActionScope kWindow = ActionScope::Window;
inline constexpr ActionScope kCanvas = ActionScope::Canvas;
inline constexpr bool kPlain = false;  ///< not checkable
inline constexpr bool kCheckable = true;
inline constexpr bool kAfterLine = true;

/// Parts of actionTable(), by menu: those of the canvas, then those of the window.
[[nodiscard]] std::span<const ActionDesc> editRows();
[[nodiscard]] std::span<const ActionDesc> nodeRows();
[[nodiscard]] std::span<const ActionDesc> viewRows();
[[nodiscard]] std::span<const ActionDesc> fileRows();
[[nodiscard]] std::span<const ActionDesc> runRows();
[[nodiscard]] std::span<const ActionDesc> panelRows();
[[nodiscard]] std::span<const ActionDesc> helpRows();

}  // namespace lowtide::ui
