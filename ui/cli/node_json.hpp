#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/host.hpp"

namespace lowtide::cli {

/// Descriptions as JSON, for tools that read `lowtide nodes --json`.
[[nodiscard]] Json toJson(const ParamDesc& param);
[[nodiscard]] Json toJson(const NodeDesc& node);

}  // namespace lowtide::cli
