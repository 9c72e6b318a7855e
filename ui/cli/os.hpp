#pragma once

#include <string>

namespace lowtide::cli {

/// Keeps big blocks in the heap instead of mapping and unmapping each; for programs only, never in
/// the module.
void raiseMallocThresholds();
/// The folder that holds the running program.
[[nodiscard]] std::string programFolder();
/// Makes Ctrl-C and a polite kill set wasInterrupted() instead of ending the program.
void catchInterrupts();
/// How often the person asked to stop.
[[nodiscard]] int interruptCount();
/// Standard error is a terminal with a cursor.
[[nodiscard]] bool errorIsTerminal();

/// A library opened by path; nullptr and a reason when it cannot be.
struct OpenedLibrary {
    void* handle = nullptr;
    std::string reason;
};

[[nodiscard]] OpenedLibrary openLibrary(const std::string& path);
[[nodiscard]] void* symbolOf(void* library, const char* name);

}  // namespace lowtide::cli
