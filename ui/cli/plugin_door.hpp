#pragma once

#include "plugin/host_api/runner.hpp"

#include <string>

namespace lowtide::cli {

/// Opens the module: LOWTIDE_PLUGIN_PATH, then beside the program in ../lib, ../lib/lowtide and the
/// program's folder. Never closed: LibTorch does not survive it. Error{NotFound} or
/// Error{Unsupported} with the module's own reason.
[[nodiscard]] Plugin& openPlugin();

/// openPlugin() and Plugin::start() with the number of threads (0: as many as there are physical
/// cores), the least level of log lines and the convolution API of cuDNN.
[[nodiscard]] Plugin& startPlugin(int threads,
                                  const std::string& log = "warning",
                                  const std::string& cudnnApi = "auto");

}  // namespace lowtide::cli
