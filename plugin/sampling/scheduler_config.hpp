#pragma once

#include "plugin/base/json.hpp"
#include "plugin/sampling/noise_schedule.hpp"
#include "plugin/sampling/sampler.hpp"

#include <optional>
#include <string>

namespace lowtide::sampling {

/// What the network predicts: the noise, the velocity (Salimans and Ho 2022) or the clean latents.
enum class Prediction : uint8_t { Epsilon, Velocity, Sample };
/// Which training timesteps are visited. Source: Lin et al. 2023, table 2.
enum class Spacing : uint8_t { Leading, Trailing, Linspace };
/// How noise levels are spread between the highest and the lowest; Normal takes those of the
/// timesteps.
enum class SigmaSpread : uint8_t { Normal, Karras, Exponential, Beta };

/// How a sampler's class reads a scheduler_config.json.
struct SchedulerClass {
    std::string label;                    ///< for messages: "Euler a"
    Spacing spacing = Spacing::Linspace;  ///< when the file says nothing
    bool hasSigmaSpreads = false;  ///< reads use_karras_sigmas and the like, and final_sigmas_type
    bool predictsSample = true;    ///< prediction_type "sample" is built
};

/// The settings that all samplers read, with the person's choices applied.
struct SchedulerConfig {
    NoiseSchedule noise;
    Prediction prediction = Prediction::Epsilon;
    Spacing spacing = Spacing::Linspace;
    int64_t stepsOffset = 0;
    SigmaSpread spread = SigmaSpread::Normal;
    std::optional<double> sigmaMin;
    std::optional<double> sigmaMax;
    bool endsAtZero = true;  ///< final_sigmas_type; else at the lowest training sigma
};

/// Reads a checkpoint's settings as Class.from_config(config, **choices) does: settings that the
/// class does not know are left out, missing ones get the class's defaults. Errors: Error{Corrupt}
/// for wrong types and impossible values, Error{Unsupported} names a setting that is not built,
/// Error{InvalidInput} blames "sigmas", "spacing" or "steps" of `options`.
[[nodiscard]] SchedulerConfig readSchedulerConfig(const Json& config,
                                                  const SchedulerClass& kind,
                                                  const ScheduleOptions& options);

/// Throws Error{Unsupported}: the setting `key` has a value that is not built; `built` says which
/// are.
[[noreturn]] void refuseSetting(const std::string& key,
                                const std::string& value,
                                const std::string& built);
/// Reader of a scheduler_config.json, with its name in messages.
[[nodiscard]] JsonReader schedulerReader(const Json& config);
/// Refuses `key` when it is true.
void refuseWhenSet(const JsonReader& reader, const char* key);

}  // namespace lowtide::sampling
