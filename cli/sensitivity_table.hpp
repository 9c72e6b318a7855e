#pragma once

#include "plugin/base/json_fwd.hpp"

#include <string>

namespace lowtide::cli {

/// A table for a terminal of what `lowtide compare --sensitivity` found: {"node", "weights",
/// "sensitive_from", "sensitivities": [as the call "sensitivities" has them, "is_new"], "refused":
/// [{"setting", "reason"}]}.
[[nodiscard]] std::string sensitivityTable(const Json& found);

}  // namespace lowtide::cli
