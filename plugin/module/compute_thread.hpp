#pragma once

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

/// Of the library that the process has loaded, by its own words; "unknown" when it does not say.
[[nodiscard]] std::string loadedTorchVersion();

}  // namespace lowtide::module
