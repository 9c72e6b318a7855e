#pragma once
// Parameters of the nodes that sample.

#include "plugin/host_api/host.hpp"
#include "plugin/models/stages.hpp"

#include <string>
#include <vector>

namespace lowtide::nodes {

inline constexpr double kMostSteps = 10000;

/// The first choice is the default.
[[nodiscard]] ParamDesc choiceParam(std::string id,
                                    std::string label,
                                    std::string tooltip,
                                    std::vector<ChoiceDesc> choices);
[[nodiscard]] ParamDesc stepsParam();
[[nodiscard]] ParamDesc guidanceParam();
[[nodiscard]] ParamDesc seedParam(std::string tooltip);
[[nodiscard]] ParamDesc samplerParam(models::Stages& stages);
[[nodiscard]] ParamDesc sigmasParam();
[[nodiscard]] ParamDesc spacingParam();

}  // namespace lowtide::nodes
