#pragma once

#include "plugin/base/json.hpp"

#include <cstdint>
#include <functional>

namespace lowtide::sampling {

/// The time that a network is told when `share` of the way from noise alone (0) to clean latents
/// (1) is done. Falls.
using TimeAt = std::function<double(double share)>;

/// Of a checkpoint's scheduler_config.json. Source: ComfyUI model_sampling.py, percent_to_sigma of
/// its classes. Errors: as readSchedulerConfig().
[[nodiscard]] TimeAt timeScaleOf(const Json& checkpointConfig);
/// Of `trainSteps` training timesteps.
[[nodiscard]] TimeAt trainingTimes(int64_t trainSteps);

}  // namespace lowtide::sampling
