// Samplers for models that were distilled into a few steps: LCM, LCM along sigma, TCD.

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/reference_math.hpp"
#include "plugin/sampling/samplers/sampler_bases.hpp"
#include "plugin/sampling/scheduler_config.hpp"

#include <ATen/ATen.h>

#include <cmath>
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

namespace {

constexpr const char* kOriginalSteps = "original_inference_steps";

int64_t readOriginalSteps(const JsonReader& reader, int64_t trainSteps) {
    const int64_t original = reader.integer(kOriginalSteps).value_or(50);
    if (original < 1 || original > trainSteps) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: \"{}\" is {}, it must be from 1 to {}",
                            reader.what(),
                            kOriginalSteps,
                            original,
                            trainSteps),
                    message("repair the checkpoint's scheduler settings"),
                    kOriginalSteps);
    }
    return original;
}

}  // namespace

SchedulerClass distilledClass(const std::string& label) {
    return {.label = label,
            .noise = {.betaStart = 0.00085, .betaEnd = 0.012, .kind = "scaled_linear", .betas = {}},
            .hasSpacing = false,
            .hasZeroSnr = true};
}

std::vector<double> distilledTimesteps(const JsonReader& reader,
                                       const SchedulerConfig& config,
                                       const ScheduleOptions& options) {
    const int64_t original = readOriginalSteps(reader, config.noise.trainSteps);
    const auto offered = static_cast<int64_t>(static_cast<double>(original) * options.strength);
    if (options.steps > offered) {
        const bool isWhole = offered == original;
        throw Error(ErrorKind::InvalidInput,
                    isWhole ? message("{} steps were asked for, the model was distilled with {}",
                                      options.steps,
                                      original)
                            : message("{} steps were asked for, the model was distilled with {}, "
                                      "of which a strength of {} leaves {}",
                                      options.steps,
                                      original,
                                      formatNumber(options.strength),
                                      offered),
                    isWhole ? message("choose fewer steps")
                            : message("choose fewer steps, or a higher strength"),
                    "steps");
    }
    const int64_t ratio = config.noise.trainSteps / original;
    const double stride = static_cast<double>(offered) / static_cast<double>(options.steps);
    std::vector<double> timesteps;
    for (int step = 0; step < options.steps; ++step) {
        const auto skipped = static_cast<int64_t>(std::floor(step * stride));
        timesteps.push_back(static_cast<double>((offered - skipped) * ratio - 1));
    }
    return timesteps;
}

namespace {

const SchedulerClass kLcmClass = distilledClass("LCM");

constexpr float kDataVariance = 0.25F;

struct LcmSettings {
    SchedulerConfig common;
    std::optional<double> clip;
    double timestepScaling = 10;
};

/// Consistency sampling: every call jumps to the clean latents, fresh noise goes back to the next
/// timestep. Source: Luo et al. 2023 (arXiv 2310.04378); values: LCMScheduler.
class Lcm final : public SignalSampler {
public:
    Lcm(const LcmSettings& settings, const std::vector<double>& timesteps, int end)
        : SignalSampler(settings.common, timesteps),
          clip_(settings.clip),
          timestepScaling_(static_cast<float>(settings.timestepScaling)),
          end_(end) {
        refusePureNoise(kLcmClass.label);
    }

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>& noise) override {
        const float now = alphaCumprod(timestep(call));
        at::Tensor clean =
            partsOf(predicts(), prediction, latents, std::sqrt(now), std::sqrt(1 - now)).clean;
        if (clip_) {
            clean = at::clamp(clean, -*clip_, *clip_);
        }
        const float scaled = static_cast<float>(timestep(call)) * timestepScaling_;
        const float total = scaled * scaled + kDataVariance;
        const at::Tensor denoised =
            clean * (scaled / root(total)) + latents * (kDataVariance / total);
        if (call + 1 >= end_) {
            return denoised;
        }
        const float next = alphaCumprod(timestep(call + 1));
        return denoised * std::sqrt(next) + noise(prediction.sizes()) * std::sqrt(1 - next);
    }

private:
    std::optional<double> clip_;
    float timestepScaling_;
    int end_;  ///< the call before which the run ends
};

std::unique_ptr<Sampler> makeLcm(const Json& config, const ScheduleOptions& options) {
    const JsonReader reader = schedulerReader(config);
    refuseWhenSet(reader, "thresholding");
    const LcmSettings settings{.common = readSchedulerConfig(config, kLcmClass, options),
                               .clip = readClip(reader, false),
                               .timestepScaling = reader.number("timestep_scaling").value_or(10)};
    return std::make_unique<Lcm>(settings,
                                 distilledTimesteps(reader, settings.common, options),
                                 shortenedEnd(options, options.steps).value_or(options.steps));
}

}  // namespace

SamplerType lcm() {
    return {.name = "lcm",
            .label = kLcmClass.label,
            .schedulerClass = "LCMScheduler",
            .isDistilled = true,
            .drawsNoise = true,
            .readsZeroSnr = kLcmClass.hasZeroSnr,
            .takesStrength = true,
            .make = makeLcm};
}

namespace {

const SchedulerClass kSigmaLcmClass = {.label = "LCM along sigma",
                                       .hasSigmaSpreads = true,
                                       .hasFinalSigma = true,
                                       .hasZeroSnr = true,
                                       .hasEdm = true,
                                       .hasFlow = true};

/// Consistency sampling at any noise levels: every call jumps to the clean latents, fresh noise
/// goes back to the next level, in the last step too (times 0 there, but drawn). Source: Luo et al.
/// 2023 (arXiv 2310.04378); k-diffusion's form, sample_lcm of ComfyUI; values for flows:
/// FlowMatchLCMScheduler.
class SigmaLcm final : public SigmaSampler {
public:
    using SigmaSampler::SigmaSampler;

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>& noise) override {
        const at::Tensor denoised = clean(prediction, latents, sigma(call));
        return process().noised(denoised, noise(prediction.sizes()), sigma(call + 1));
    }
};

std::unique_ptr<Sampler> makeSigmaLcm(const Json& config, const ScheduleOptions& options) {
    return std::make_unique<SigmaLcm>(readSchedulerConfig(config, kSigmaLcmClass, options),
                                      options);
}

}  // namespace

/// Also of flows that were distilled into a few steps.
SamplerType sigma_lcm() {
    return {.name = "sigma_lcm",
            .label = kSigmaLcmClass.label,
            .schedulerClass = "FlowMatchLCMScheduler",
            .drawsNoise = true,
            .readsZeroSnr = kSigmaLcmClass.hasZeroSnr,
            .make = makeSigmaLcm};
}

namespace {

SchedulerClass schedulerClass() {
    SchedulerClass kind = distilledClass("TCD");
    kind.hasEta = true;
    return kind;
}

const SchedulerClass kTcdClass = schedulerClass();

/// Trajectory consistency: every call jumps to a timestep below the next one, eta of the way to the
/// clean latents, and fresh noise goes back up. Source: Zheng et al. 2024 (arXiv 2402.19159);
/// values: TCDScheduler, which leaves the noise of timestep 0 in at the end.
class Tcd final : public SignalSampler {
public:
    Tcd(const SchedulerConfig& config,
        const std::vector<double>& timesteps,
        const ScheduleOptions& options)
        : SignalSampler(config, timesteps),
          eta_(options.eta),
          shortenedEnd_(shortenedEnd(options, callCount())) {
        refusePureNoise(kTcdClass.label);
    }

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>& noise) override {
        const float now = alphaCumprod(timestep(call));
        const bool isLast = call == callCount() - 1;
        const int64_t next = isLast ? 0 : timestep(call + 1);
        const float below = call + 1 == shortenedEnd_ ? 1.0F : alphaCumprod(belowOf(next));
        const bool isEpsilon = predicts() == Prediction::Epsilon;
        const Parts parts = partsOf(predicts(),
                                    prediction,
                                    latents,
                                    isEpsilon ? std::sqrt(now) : root(now),
                                    isEpsilon ? std::sqrt(1 - now) : root(1 - now));
        const at::Tensor moved =
            parts.clean * std::sqrt(below) + parts.noise * std::sqrt(1 - below);
        if (eta_ <= 0 || isLast || call + 1 == shortenedEnd_) {
            return moved;
        }
        const float ratio = alphaCumprod(next) / below;
        return moved * std::sqrt(ratio) + noise(prediction.sizes()) * std::sqrt(1 - ratio);
    }

private:
    /// The timestep that a call jumps to before the noise goes back to `next`.
    [[nodiscard]] int64_t belowOf(int64_t next) const {
        const auto kept = static_cast<float>(1 - eta_);
        return static_cast<int64_t>(std::floor(kept * static_cast<float>(next)));
    }

    double eta_;
    std::optional<int> shortenedEnd_;
};

std::unique_ptr<Sampler> makeTcd(const Json& config, const ScheduleOptions& options) {
    if (options.eta > 1) {
        throw Error(ErrorKind::InvalidInput,
                    message("TCD has no eta {}", formatNumber(options.eta)),
                    message("choose a number from 0 to 1"),
                    "eta");
    }
    const SchedulerConfig settings = readSchedulerConfig(config, kTcdClass, options);
    return std::make_unique<Tcd>(
        settings, distilledTimesteps(schedulerReader(config), settings, options), options);
}

}  // namespace

SamplerType tcd() {
    return {.name = "tcd",
            .label = kTcdClass.label,
            .schedulerClass = "TCDScheduler",
            .isDistilled = true,
            .readsZeroSnr = kTcdClass.hasZeroSnr,
            .make = makeTcd};
}

}  // namespace lowtide::sampling
