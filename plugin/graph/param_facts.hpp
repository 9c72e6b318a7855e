#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/host.hpp"

namespace lowtide::graph {

/// What a host needs to say in any language why checkParam() refused a value: `value`, `kind`
/// ("int", "choice"), and of the parameter `min`, `max`, `unit` and `choices` where it has them.
[[nodiscard]] Json paramFacts(const ParamDesc& param, const Json& value);

}  // namespace lowtide::graph
