#pragma once

#include "plugin/sampling/step_caches/predictors/step_predictor.hpp"

namespace lowtide::sampling {

/// Gives the newest value again. Source: First Block Cache, MagCache, EasyCache, all of which reuse
/// what the blocks or the network added.
[[nodiscard]] std::unique_ptr<StepPredictor> reusePredictor();

}  // namespace lowtide::sampling
