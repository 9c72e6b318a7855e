#include "plugin/sampling/timestep_spacing.hpp"
#include "plugin/sampling/two_stage_sampler.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

namespace {

const SchedulerClass kHeunClass = {.label = "Heun",
                                   .noise = {.betaStart = 0.00085, .betaEnd = 0.012, .betas = {}},
                                   .hasSigmaSpreads = true,
                                   .hasEdm = true,
                                   .hasFlow = true};

/// Heun's method along dx/dsigma: the mean of the slopes at both ends of a step. Source: Karras et
/// al. 2022, algorithm 1; values: HeunDiscreteScheduler.
class Heun final : public TwoStageSampler {
public:
    Heun(const SchedulerConfig& config, const ScheduleOptions& options, std::optional<double> clip)
        : TwoStageSampler(config, options), clip_(clip) {
        setLevels({.middle = nextSigmas(), .target = nextSigmas(), .fresh = {}},
                  schedule().timesteps.slice(0, 1),
                  1);
    }

protected:
    at::Tensor clean(const at::Tensor& prediction,
                     const at::Tensor& latents,
                     float sigma) const override {
        const at::Tensor predicted = TwoStageSampler::clean(prediction, latents, sigma);
        return clip_ ? at::clamp(predicted, -*clip_, *clip_) : predicted;
    }

    at::Tensor slopeOf(const at::Tensor& first, const at::Tensor& second) const override {
        return (first + second) / 2;
    }

private:
    std::optional<double> clip_;
};

std::unique_ptr<Sampler> makeHeun(const Json& config, const ScheduleOptions& options) {
    return std::make_unique<Heun>(readSchedulerConfig(config, kHeunClass, options),
                                  options,
                                  readClip(schedulerReader(config), false));
}

}  // namespace

SamplerType heun() {
    return {.name = "heun",
            .label = kHeunClass.label,
            .schedulerClass = "HeunDiscreteScheduler",
            .otherClasses = {"FlowMatchHeunDiscreteScheduler"},
            .readsZeroSnr = kHeunClass.hasZeroSnr,
            .make = makeHeun};
}

}  // namespace lowtide::sampling
