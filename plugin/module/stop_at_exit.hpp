#pragma once

#include "plugin/host_api/runner.hpp"

namespace lowtide::module {

/// Stops the runner when the process ends by exit() or by the end of main: LibTorch's own objects
/// are taken down then, and a run that went on would crash. Once; the runner is never destroyed.
void stopAtExit(Runner& runner);

}  // namespace lowtide::module
