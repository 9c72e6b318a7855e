#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/host.hpp"

namespace lowtide::graph {

/// {"severity", "code", "node", "item", "message", "hint"}; node, item and hint only where there is
/// one.
[[nodiscard]] Json toJson(const Issue& issue);
[[nodiscard]] Json toJson(const Issues& issues);

}  // namespace lowtide::graph
