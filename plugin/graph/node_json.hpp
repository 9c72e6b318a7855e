#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/host.hpp"

namespace lowtide::graph {

/// A description as `lowtide nodes --json` prints it. Limits, unit and choices are
/// there only where the parameter has them, flags (multiline, advanced, cosmetic, side_effect,
/// control) only where they are set.
[[nodiscard]] Json toJson(const ParamDesc& param);
[[nodiscard]] Json toJson(const NodeDesc& node);

/// What toJson() wrote. Throws Json::exception when a key is missing or of another kind, and
/// std::invalid_argument for an unknown kind or a default that its parameter refuses.
[[nodiscard]] ParamDesc paramFromJson(const Json& json);
[[nodiscard]] NodeDesc nodeFromJson(const Json& json);

}  // namespace lowtide::graph
