#pragma once

#include "plugin/base/json.hpp"
#include "plugin/sampling/scheduler_config.hpp"

#include <string>
#include <vector>

namespace lowtide::sampling {

/// How the classes of models that were distilled into a few steps read their settings.
[[nodiscard]] SchedulerClass distilledClass(const std::string& label);

/// Their timesteps: so many of the original_inference_steps that they were distilled with, of the
/// lowest ones at a strength below 1. Errors: Error{InvalidInput} blames "steps" when they are more
/// than those.
[[nodiscard]] std::vector<double> distilledTimesteps(const JsonReader& reader,
                                                     const SchedulerConfig& config,
                                                     const ScheduleOptions& options);

}  // namespace lowtide::sampling
