#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lowtide::module {

/// The folder that holds this module's library.
[[nodiscard]] std::string moduleFolder();
/// Cores that this process may use, hyper-threads counted once; at least 1.
[[nodiscard]] int physicalCores();
/// What OMP_NUM_THREADS asks for at the outermost level (OpenMP 5.2, 21.1.2), else physicalCores().
[[nodiscard]] int defaultThreads();
/// Paths of the loaded libraries with this file name.
[[nodiscard]] std::vector<std::string> loadedLibraries(const std::string& fileName);
[[nodiscard]] int64_t processId();
/// Whether the calling thread is the one that main() runs in.
[[nodiscard]] bool isMainThread();
/// Sets a variable of the process's environment. Before other threads of ours run.
void setEnvironment(const char* name, const char* value);

}  // namespace lowtide::module
