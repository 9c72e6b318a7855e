#pragma once

#include "plugin/base/error.hpp"
#include "plugin/host_api/runner.hpp"

namespace lowtide::cli {

/// Parses the arguments, runs the command, prints what it throws and returns the exit code: 0 ok; 2
/// invalid graph, plan or arguments; 130 cancelled; 3 all else. The module's threads go on until
/// exit(), which stops them.
[[nodiscard]] int runCommandLine(int count, char** arguments);

/// "lowtide: message" and "  hint" on standard error.
void printError(const Error& error);

}  // namespace lowtide::cli
