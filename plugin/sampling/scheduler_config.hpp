#pragma once

#include "plugin/base/json.hpp"
#include "plugin/sampling/noise_schedule.hpp"
#include "plugin/sampling/sampler.hpp"

#include <optional>
#include <string>

namespace lowtide::sampling {

/// What the network predicts: the noise, the velocity (Salimans and Ho 2022), the clean latents, or
/// the flow from them to the noise.
enum class Prediction : uint8_t { Epsilon, Velocity, Sample, Flow };
/// Which training timesteps are visited. Source: Lin et al. 2023, table 2.
enum class Spacing : uint8_t { Leading, Trailing, Linspace };
/// How noise levels are spread between the highest and the lowest; Normal takes those of the
/// timesteps.
enum class SigmaSpread : uint8_t { Normal, Karras, Exponential, Beta, Lu };
/// Whether the timesteps of Karras' (and Lu's) noise levels are rounded to whole ones.
enum class KarrasTimesteps : uint8_t { Fractional, Integer, IntegerUnlessCosine };

/// Noise levels of a model trained as Karras et al. 2022 describe (EDM).
struct EdmSchedule {
    double sigmaMin = 0.002;
    double sigmaMax = 80;
    double sigmaData = 0.5;  ///< standard deviation of the training's latents
    double rho = 7;
    bool isExponential = false;  ///< even in log sigma, whatever rho is
};

/// Where the N levels of a flow lie before they are shifted.
enum class FlowSpacing : uint8_t {
    Sampler,   ///< Trailing for samplers along sigma; multistep solvers have levels of their own
    Class,     ///< what diffusers' classes take that are given no levels: Linspace along sigma
    Trailing,  ///< 1, 1 - 1/N, ... 1/N: "simple" of ComfyUI, and what most pipelines give
    Linspace,  ///< from the highest level of the training to its lowest: "normal" of ComfyUI
};

/// Noise levels of a flow: sigma -> shift sigma / (1 + (shift - 1) sigma).
struct FlowSchedule {
    double shift = 1;
    bool isDynamic = false;  ///< the shift follows the size of the image (mu)
    /// The file asks for such a shift, whether it is that or one that was set in its place.
    bool followsSize = false;
    double terminal = 0;  ///< the levels are stretched until the last is this one; 0: they are kept
    FlowSpacing spacing = FlowSpacing::Sampler;
};

/// How a sampler's class reads a scheduler_config.json: what it knows, and what it takes where the
/// file states nothing.
struct SchedulerClass {
    std::string label;  ///< for messages: "Euler a"
    NoiseSchedule noise = {};
    Spacing spacing = Spacing::Linspace;
    bool hasSpacing = true;        ///< timestep_spacing; else the timesteps are the class's own
    bool hasSigmaSpreads = false;  ///< use_karras_sigmas, _exponential_, _beta_; sigma_min and _max
    bool hasLuLambdas = false;     ///< use_lu_lambdas
    bool hasFinalSigma = false;    ///< final_sigmas_type
    bool hasZeroSnr = false;       ///< rescale_betas_zero_snr
    bool hasEta = false;           ///< takes ScheduleOptions::eta
    bool predictsSample = true;    ///< prediction_type "sample" is built
    bool hasEdm = false;           ///< serves models with the noise levels of EDM
    bool hasFlow = false;          ///< serves flows
    KarrasTimesteps karrasTimesteps = KarrasTimesteps::Fractional;
};

/// The settings that all samplers read, with the user's choices applied.
struct SchedulerConfig {
    NoiseSchedule noise;
    Prediction prediction = Prediction::Epsilon;
    Spacing spacing = Spacing::Linspace;
    int64_t stepsOffset = 0;
    SigmaSpread spread = SigmaSpread::Normal;
    KarrasTimesteps karrasTimesteps = KarrasTimesteps::Fractional;
    std::optional<double> sigmaMin;
    std::optional<double> sigmaMax;
    bool endsAtZero = true;  ///< final_sigmas_type; else at the lowest sigma
    std::optional<EdmSchedule> edm{};
    std::optional<FlowSchedule> flow{};
};

/// Reads a checkpoint's settings as Class.from_config(config, **choices) does: settings that the
/// class does not know are left out, missing ones get the class's defaults. Errors: Error{Corrupt}
/// for wrong types and impossible values, Error{Unsupported} names a setting that is not built,
/// Error{InvalidInput} blames "sigmas", "spacing", "eta" or "steps" of `options`.
[[nodiscard]] SchedulerConfig readSchedulerConfig(const Json& config,
                                                  const SchedulerClass& kind,
                                                  const ScheduleOptions& options);

/// The step before which a run that leaves no noise behind ends early; nothing for one that runs
/// through all `steps`.
[[nodiscard]] std::optional<int> shortenedEnd(const ScheduleOptions& options, int steps);
/// Throws Error{Unsupported}: the setting `key` has a value that is not built; `built` states which
/// are.
[[noreturn]] void refuseSetting(const std::string& key, const Message& value, const Message& built);
[[noreturn]] void refuseSetting(const std::string& key,
                                const std::string& value,
                                const Message& built);
/// Whether a scheduler_config.json is of a model trained with the noise levels of EDM.
[[nodiscard]] bool hasEdmLevels(const Json& config);
/// Whether it is of a flow.
[[nodiscard]] bool isFlow(const Json& config);
/// The config of a flow with another shift, whatever its class calls it, and for every size.
[[nodiscard]] Json withFlowShift(const Json& config, double shift);
/// The config of a flow whose family spaces the levels so where the user does not choose.
[[nodiscard]] Json withFlowSpacing(const Json& config, FlowSpacing spacing);
/// The mu of a config with use_dynamic_shifting for an image of `tokens`; nothing for the others.
/// Source: calculate_shift of diffusers' pipelines.
[[nodiscard]] std::optional<double> flowMu(const Json& config, int64_t tokens);
/// Such a config with its mu; one without has no levels.
[[nodiscard]] Json withFlowMu(const Json& config, double mu);
/// The shift that a mu means: e^mu, or mu where time_shift_type is linear.
[[nodiscard]] double flowShiftOf(const Json& config, double mu);
/// Reader of a scheduler_config.json, with its name in messages.
[[nodiscard]] JsonReader schedulerReader(const Json& config);
/// Refuses `key` when it is true.
void refuseWhenSet(const JsonReader& reader, const char* key);
/// The bound that clip_sample and clip_sample_range set on predicted clean latents; `missing`
/// states whether a file without clip_sample means one.
[[nodiscard]] std::optional<double> readClip(const JsonReader& reader, bool missing);
/// The config with `settings` in place of its own.
[[nodiscard]] Json withSettings(const Json& config, const Json& settings);

}  // namespace lowtide::sampling
