#pragma once

#include <string>
#include <vector>

namespace lowtide::cli {

/// Makes the first Ctrl-C or polite kill count (interruptCount) instead of ending the program. The
/// second one ends it, whatever it waits for.
void catchInterrupts();
/// How often the user asked to stop.
[[nodiscard]] int interruptCount();
/// The process that started this one; another one where that has ended.
[[nodiscard]] int parentProcess();
/// Standard error is a terminal with a cursor.
[[nodiscard]] bool errorIsTerminal();
/// Goes on as another program, with these words behind its path. Returns only when it cannot, with
/// the reason.
[[nodiscard]] std::string becomeProgram(const std::string& path,
                                        const std::vector<std::string>& words);

}  // namespace lowtide::cli
