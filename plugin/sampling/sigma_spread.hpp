#pragma once

#include "plugin/sampling/scheduler_config.hpp"

#include <vector>

namespace lowtide::sampling {

/// Noise levels, highest first, and the training timesteps that they stand for (not whole numbers).
struct SigmaTable {
    std::vector<double> sigmas;
    std::vector<double> timesteps;
};

/// `steps` noise levels between the two given ones (or the config's sigma_max and sigma_min),
/// spread as config.spread says, which is not Normal. Sources: Karras et al. 2022, eq. 5 with rho
/// 7; exponential: even in log sigma; beta: Lee et al. 2024 (arXiv 2407.12173), a = b = 0.6; lu: Lu
/// et al. 2022 (arXiv 2206.00927), between the training's own ends.
[[nodiscard]] SigmaTable spreadSigmas(const SchedulerConfig& config,
                                      double highest,
                                      double lowest,
                                      int steps,
                                      const std::vector<float>& trainingSigmas);

/// `steps` noise levels from `highest` to `lowest`, spread as `kind` says: neither Normal nor Lu.
[[nodiscard]] std::vector<double> spreadBetween(SigmaSpread kind,
                                                double highest,
                                                double lowest,
                                                int steps);

/// The training timestep, not whole, that each noise level stands for; all in float32, as the
/// reference places the levels between two steps.
[[nodiscard]] std::vector<float> timestepsBetween(const std::vector<float>& sigmas,
                                                  const std::vector<float>& trainingSigmas);

}  // namespace lowtide::sampling
