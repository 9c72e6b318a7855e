#pragma once
// How much noise the training had: betas by timestep, and the time that a network is given at a
// fraction of the way.

#include "plugin/base/json.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lowtide::sampling {

/// How much noise each training timestep had.
struct NoiseSchedule {
    int64_t trainSteps = 1000;
    double betaStart = 0.0001;
    double betaEnd = 0.02;
    std::string kind = "linear";  ///< linear, scaled_linear, squaredcos_cap_v2
    std::vector<double> betas;    ///< the betas themselves; not empty: they win over `kind`
    bool zeroTerminalSnr =
        false;  ///< Lin et al. 2023, algorithm 1: the last timestep is pure noise
};

/// Cumulative product of 1 - beta for every training timestep, [trainSteps].
/// Errors: Error{Unsupported} names a schedule that is not built. Values are float32, operation by
/// operation as the reference computes them.
[[nodiscard]] std::vector<float> alphasCumprod(const NoiseSchedule& schedule);
/// The same for samplers that divide by it: with zeroTerminalSnr the last one is 2^-24 instead of
/// 0.
[[nodiscard]] std::vector<float> positiveAlphasCumprod(const NoiseSchedule& schedule);
/// sqrt((1 - a) / a): noise per signal of every training timestep.
[[nodiscard]] std::vector<float> trainingSigmas(const std::vector<float>& alphas);

/// The time that a network is given when `fraction` of the way from noise alone (0) to clean
/// latents (1) is done. Falls.
using TimeAt = std::function<double(double fraction)>;

/// Of a checkpoint's scheduler_config.json. Source: ComfyUI model_sampling.py, percent_to_sigma of
/// its classes. Errors: as readSchedulerConfig().
[[nodiscard]] TimeAt timeScaleOf(const Json& checkpointConfig);
/// Of `trainSteps` training timesteps.
[[nodiscard]] TimeAt trainingTimes(int64_t trainSteps);

}  // namespace lowtide::sampling
