#pragma once

#include "plugin/base/json_fwd.hpp"

#include <string>
#include <vector>

namespace lowtide::ui {

/// "cpu", "cuda:0", and cards of everyday sizes that can be rehearsed on: what choosers offer, of
/// MemoryNow::devices.
[[nodiscard]] std::vector<std::string> deviceNames(const Json& devices);

}  // namespace lowtide::ui
