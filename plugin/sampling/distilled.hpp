#pragma once

#include "plugin/base/json.hpp"
#include "plugin/sampling/scheduler_config.hpp"

#include <string>
#include <vector>

namespace lowtide::sampling {

/// How the classes of models that were distilled into a few steps read their settings.
[[nodiscard]] SchedulerClass distilledClass(const std::string& label);

/// Their timesteps: `steps` of the original_inference_steps that they were distilled with. Errors:
/// Error{InvalidInput} blames "steps" when they are more than those.
[[nodiscard]] std::vector<double> distilledTimesteps(const JsonReader& reader,
                                                     const SchedulerConfig& config,
                                                     int steps);

}  // namespace lowtide::sampling
