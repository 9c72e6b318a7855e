#pragma once

#include "plugin/host_api/runner.hpp"

namespace lowtide::qtnodes_host {

/// The module, opened through its C API and started: the file in LOWTIDE_PLUGIN_PATH, else
/// ../lib/liblowtide_plugin.so relative to the program. It is never closed. Error{Unsupported}
/// states why it does not open.
[[nodiscard]] Plugin& openModule();

}  // namespace lowtide::qtnodes_host
