#pragma once

namespace lowtide::ui {

/// What Qt says goes to the log from now on, in place of standard error. For programs.
void logQtMessages();

}  // namespace lowtide::ui
