#pragma once

#include "plugin/sampling/step_caches/gates/step_gate.hpp"

#include <memory>
#include <vector>

namespace lowtide::sampling {

struct MagSettings {
    double threshold = 0.06;  ///< of the accumulated error; 0: never reuse
    int mostSkips = 3;        ///< steps reused in a row
    double keptShare = 0.2;   ///< first share of the steps, all computed
};

/// Reuses while the error that the curve foretells stays small: the sum of |1 - r|, r being the
/// product of the ratios since the last computed step. Needs no measurement. `ratios` has one entry
/// for each step; a step beyond counts as 1. Error{InvalidInput} blames "threshold",
/// "max_consecutive" or "kept_share". Source: MagCache, Ma et al. 2025; diffusers 0.42.1.
[[nodiscard]] std::unique_ptr<StepGate> magGate(const MagSettings& settings,
                                                std::vector<double> ratios);

}  // namespace lowtide::sampling
