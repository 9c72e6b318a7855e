#pragma once
// What makes a thread the run thread, and what else decides about bits on the CPU: the number of
// threads, the build, and the operators that a measurement chose.

#include "plugin/base/stop_token.hpp"
#include "plugin/tensor/cpu_paths.hpp"

#include <string>

namespace lowtide::module {

/// Makes the calling thread a run thread: inference mode for its lifetime, `threads` for the CPU's
/// operators, no dynamic adjustment of that number. All of it is per thread in LibTorch, so a
/// host's own threads are not touched.
void becomeRunThread(int threads);

/// Processor, torch build, CPU capability, threads: what a choice of operators was measured for.
[[nodiscard]] std::string machineText(int threads);

/// What besides graph and files decides about bits, for result keys: torch build, CPU capability,
/// threads, and which operators the CPU runs.
[[nodiscard]] std::string numericsText(int threads);

/// Of the headers that this module was built with: "2.11.0".
[[nodiscard]] std::string torchVersion();

/// Of the library that the process has loaded, by its own words; "unknown" when it states none.
[[nodiscard]] std::string loadedTorchVersion();

// What a measurement chose for the CPU's operators, kept between processes. It is part of what
// decides about bits, so a process takes it when it starts and keeps it.

/// What was stored for `machine` (processor, build, threads), else the default. Never throws: what
/// cannot be read or run is reported in the log. `cacheFolder` empty: the default.
[[nodiscard]] tensor::CpuPaths storedCpuPaths(const std::string& cacheFolder,
                                              const std::string& machine);
/// Keeps it for the next start, next to what other machines chose. `stop` ends a wait for another
/// process that stores. Error{InvalidInput} when the folder cannot be written, Error{Device} when
/// the disk is full, Error{Cancelled}.
void storeCpuPaths(const std::string& cacheFolder,
                   const std::string& machine,
                   const tensor::CpuPaths& paths,
                   const StopToken& stop);

}  // namespace lowtide::module
