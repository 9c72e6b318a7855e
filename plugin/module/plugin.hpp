#pragma once
// The entry point: the one plugin of this process, why a program may not have it, where its files
// lie, and its end with the process.

#include "plugin/host_api/runner.hpp"

#include <string>

namespace lowtide::module {

/// The one plugin of this process; nullptr with the reason when this process cannot have it.
[[nodiscard]] Plugin* openPlugin(std::string& refusal);

/// Stops the runner when the process ends by exit() or by the end of main: objects of LibTorch and
/// of other libraries are taken down then, and a run that went on would crash. Once; the runner is
/// never destroyed.
void stopAtExit(Runner& runner);

/// Makes that stop the first thing that happens where the calling thread ends the process (glibc,
/// stdlib/exit.c: objects of the thread go before every handler), so that nothing that a run made
/// since is taken down before. A thread of the host's that ends alone would stop the runner, too:
/// for its main thread and for ours.
void stopFirstAtExitOfThisThread();

}  // namespace lowtide::module
