#include "plugin/sampling/distilled.hpp"
#include "plugin/sampling/float_math.hpp"
#include "plugin/sampling/signal_sampler.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace lowtide::sampling {

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

}  // namespace lowtide::sampling
