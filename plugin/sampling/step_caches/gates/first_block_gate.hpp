#pragma once

#include "plugin/sampling/step_caches/gates/step_gate.hpp"

#include <memory>

namespace lowtide::sampling {

/// Reuses while what the first block adds has changed by at most `threshold` since the last
/// computed step; 0 never reuses. Error{InvalidInput} blames "threshold" when it is no number
/// from 0 on. Source: First Block Cache of ParaAttention; diffusers 0.42.1 reuses on NaN.
[[nodiscard]] std::unique_ptr<StepGate> firstBlockGate(double threshold);

}  // namespace lowtide::sampling
