// The sampler of docs/recipes/add_a_sampler.md: goes on in the direction of the last two slopes, as
// if all steps were equally long.

#include "plugin/sampling/samplers/sampler_bases.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

namespace {

const SchedulerClass kDriftClass = {.label = "Drift", .hasSigmaSpreads = true};

/// The method of Adams and Bashforth of second order; Euler's in the first step.
class Drift final : public SigmaSampler {
public:
    using SigmaSampler::SigmaSampler;

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>&) override {
        const float level = sigma(call);
        const at::Tensor slope = (latents - clean(prediction, latents, level)) / level;
        const at::Tensor direction =
            slopes_.size() > 0 ? slope * 1.5 - slopes_.ago(1) * 0.5 : slope;
        slopes_.push(slope);
        return latents + direction * (sigma(call + 1) - level);
    }

    void save(tensor::SamplerCarry& carry) const override { carry.history = slopes_.entries(); }

    void restore(const tensor::SamplerCarry& carry) override { slopes_.restore(carry.history); }

    int historyLength() const override { return 1; }

private:
    History slopes_{1};
};

std::unique_ptr<Sampler> makeDrift(const Json& config, const ScheduleOptions& options) {
    return std::make_unique<Drift>(readSchedulerConfig(config, kDriftClass, options), options);
}

}  // namespace

SamplerType drift() {
    return {.name = "drift",
            .label = kDriftClass.label,
            .schedulerClass = "DriftScheduler",
            .make = makeDrift};
}

}  // namespace lowtide::sampling
