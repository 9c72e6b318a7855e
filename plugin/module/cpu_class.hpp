#pragma once
// What a measurement chose for the CPU's operators, kept between processes. It is part of what
// decides about bits, so a process takes it when it starts and keeps it.

#include "plugin/tensor/cpu_paths.hpp"

#include <string>

namespace lowtide::module {

/// What was stored for `machine` (processor, build, threads), else the default. Never throws: what
/// cannot be read or run is said in the log. `cacheFolder` empty: the default.
[[nodiscard]] tensor::CpuPaths storedCpuPaths(const std::string& cacheFolder,
                                              const std::string& machine);
/// Keeps it for the next start, beside what other machines chose. Error{InvalidInput} when the
/// folder cannot be written, Error{Device} when the disk is full.
void storeCpuPaths(const std::string& cacheFolder,
                   const std::string& machine,
                   const tensor::CpuPaths& paths);

}  // namespace lowtide::module
