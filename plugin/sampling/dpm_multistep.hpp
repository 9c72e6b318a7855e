#pragma once

#include "plugin/sampling/sampler.hpp"

namespace lowtide::sampling {

/// A sampler with the settings of DPMSolverMultistepScheduler: `changes` replace those of `config`.
/// `label` is for messages.
[[nodiscard]] std::unique_ptr<Sampler> makeDpmMultistep(const Json& config,
                                                        const Json& changes,
                                                        const std::string& label,
                                                        const ScheduleOptions& options);

}  // namespace lowtide::sampling
