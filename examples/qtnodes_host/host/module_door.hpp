#pragma once

#include "plugin/host_api/runner.hpp"

namespace lowtide::qtnodes_host {

/// The module, opened through its C door and started: the file in LOWTIDE_PLUGIN_PATH, else
/// ../lib/liblowtide_plugin.so beside the program. It is never closed. Error{Unsupported} says why
/// it does not open.
[[nodiscard]] Plugin& openModule();

}  // namespace lowtide::qtnodes_host
