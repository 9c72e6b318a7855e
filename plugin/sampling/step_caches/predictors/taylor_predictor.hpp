#pragma once

#include "plugin/sampling/step_caches/predictors/step_predictor.hpp"

namespace lowtide::sampling {

/// Follows the straight line through the two newest values; with one value, gives it again. Source:
/// TaylorSeer, Liu et al. 2025, order 1; diffusers 0.42.1, where time is the index of the step.
[[nodiscard]] std::unique_ptr<StepPredictor> taylorPredictor();

}  // namespace lowtide::sampling
