#pragma once

#include "plugin/host_api/runner.hpp"

#include <string>

namespace lowtide::cli {

/// Opens the module: LOWTIDE_PLUGIN_PATH, then beside the program in ../lib, ../lib/lowtide and the
/// program's folder. Never closed: LibTorch does not survive it. Error{NotFound} or
/// Error{Unsupported} with the module's own reason.
[[nodiscard]] Plugin& openPlugin();

/// openPlugin() and Plugin::start() with the number of threads (0: as many as there are physical
/// cores) and the least level of log lines.
[[nodiscard]] Plugin& startPlugin(int threads, const std::string& log = "warning");

}  // namespace lowtide::cli
