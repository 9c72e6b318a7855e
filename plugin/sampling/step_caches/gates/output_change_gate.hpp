#pragma once

#include "plugin/sampling/step_caches/gates/step_gate.hpp"
#include "plugin/sampling/step_caches/gates/step_range.hpp"

#include <memory>

namespace lowtide::sampling {

struct OutputChangeSettings {
    double threshold = 0.2;                           ///< 0: never reuse
    StepRange active = {.begin = 0.15, .end = 0.95};  ///< steps outside are computed
};

/// Reuses while the changes that are expected of the network's output add up to less than the
/// threshold. A change that is not finite or not above 0 says nothing: the step is computed.
/// Error{InvalidInput} blames "threshold" or "end". Source: EasyCache, Zhou et al. 2025, as
/// ComfyUI 0.3 builds it, with shares of steps instead of training timesteps.
[[nodiscard]] std::unique_ptr<StepGate> outputChangeGate(const OutputChangeSettings& settings);

}  // namespace lowtide::sampling
