#pragma once

namespace lowtide::cli {

/// Makes Ctrl-C and a polite kill count (interruptCount) instead of ending the program.
void catchInterrupts();
/// How often the person asked to stop.
[[nodiscard]] int interruptCount();
/// Standard error is a terminal with a cursor.
[[nodiscard]] bool errorIsTerminal();

}  // namespace lowtide::cli
