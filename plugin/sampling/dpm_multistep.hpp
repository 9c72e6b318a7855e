#pragma once

#include "plugin/sampling/sampler.hpp"

namespace lowtide::sampling {

/// Whether the class knows rescale_betas_zero_snr.
inline constexpr bool kMultistepReadsZeroSnr = true;

/// The class for models with the noise levels of EDM.
inline constexpr const char* kEdmMultistepClass = "EDMDPMSolverMultistepScheduler";

/// Order and algorithm of a file: "DPM++ 3M SDE". Errors name the setting.
[[nodiscard]] SamplerFacts multistepFacts(const Json& config);

/// A sampler with the settings of DPMSolverMultistepScheduler: `changes` replace those of `config`.
/// `label` is for messages.
[[nodiscard]] std::unique_ptr<Sampler> makeDpmMultistep(const Json& config,
                                                        const Json& changes,
                                                        const std::string& label,
                                                        const ScheduleOptions& options);

}  // namespace lowtide::sampling
