#pragma once

#include "ui/document/file_target.hpp"
#include "ui/studio/main_window_widgets.hpp"

#include <QString>

namespace lowtide::ui {

/// Puts a file into the graph as one step, where targetFor() states, and brings the node into sight
/// unless the user pointed at it. A notice states what happened where the user could not expect it,
/// and takes it back.
void putFile(MainWindowWidgets& widgets, const Arrival& arrival, const DropSpot& spot);

/// The same for words of a prompt: at its end.
void putWords(MainWindowWidgets& widgets, const QString& words, const DropSpot& spot);

}  // namespace lowtide::ui
