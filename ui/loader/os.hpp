#pragma once

#include "plugin/base/message.hpp"

#include <cstdint>
#include <string>

namespace lowtide::loader {

/// Keeps big blocks in one heap of all threads instead of mapping and unmapping each: glibc's heaps
/// of single threads hold 64 MiB at most, and mapped pages are zeroed again (8 to 10 % of a step).
/// For programs only, never in the module; first called before the first thread starts.
void keepBigBlocks();
/// Returns what the heap keeps, and from now on blocks of 32 MiB and more as soon as they are
/// freed; until keepBigBlocks. For runs within a memory budget: kept blocks fragment: a model
/// within 3 GiB held 1.2 GiB more than its budget. Costs up to 7 % of a step. For programs only.
void returnBigBlocks();
/// Lets the threads of operators sleep soon while they wait for each other, unless the user chose
/// otherwise (OMP_WAIT_POLICY, GOMP_SPINCOUNT): next to other programs, threads that spin for long
/// made runs 5 to 10 times slower. Before the module is opened; for programs only.
void shortenSpins();
/// The folder that holds the running program.
[[nodiscard]] std::string programFolder();
/// The folder of the library or program that holds this code or object.
[[nodiscard]] std::string folderOf(const void* address);

/// Lowtide's folder among what the user keeps, where presets are: XDG_DATA_HOME, or .local/share
/// in the home folder; empty when neither is known.
[[nodiscard]] std::string userDataFolder();
/// Where the studio keeps wildcards and what else it knows: LOWTIDE_STUDIO_DATA before
/// userDataFolder(); empty when neither is known.
[[nodiscard]] std::string studioDataFolder();

/// The processor's name as it gives it itself; empty: not known.
[[nodiscard]] std::string processorName();
/// Bytes of memory of the machine; 0: not known.
[[nodiscard]] int64_t machineMemory();

/// A library opened by path; nullptr and a reason when it cannot be.
struct OpenedLibrary {
    void* handle = nullptr;
    Message reason;
};

[[nodiscard]] OpenedLibrary openLibrary(const std::string& path);
[[nodiscard]] void* symbolOf(void* library, const char* name);

}  // namespace lowtide::loader
