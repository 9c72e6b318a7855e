#pragma once

#include "plugin/residency/device/convolution_plan.hpp"

namespace lowtide::residency {

using ConvolutionAnswerer = std::function<std::optional<ConvolutionPlan>(const ConvolutionShape&)>;

/// Asks for the workspace of each shape once, tells the plan in the log (debug), and remembers it,
/// also that there was none. Any thread; one question at a time. The copies share their memory.
[[nodiscard]] ConvolutionQuestion remembered(ConvolutionAnswerer ask);

}  // namespace lowtide::residency
