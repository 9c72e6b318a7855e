#pragma once

namespace lowtide::ui {

/// Qt 6.4 tells of a list's new current row as if it had the keyboard, also where the list has it
/// not: a strip that follows what is shown elsewhere would seem to take the keyboard. From now on
/// such events are told to nobody. Again is nothing.
void keepFocusTrue();

}  // namespace lowtide::ui
