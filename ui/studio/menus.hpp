#pragma once

#include "ui/studio/actions.hpp"

class QMenu;
class QMenuBar;

namespace lowtide::ui {

/// Fills the bar from the menu paths of the registry.
void fillMenus(QMenuBar& bar, const Actions& actions);
/// The menu of that path ("Node/Align"), made where it is missing.
[[nodiscard]] QMenu* menuAt(QMenuBar& bar, const QString& path);
/// The titles on the way to a menu as a person reads them: "Node: Align".
[[nodiscard]] QString menuTitles(const char* path);

}  // namespace lowtide::ui
