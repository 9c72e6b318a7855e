// Euler's method along sigma, and the ancestral one, which adds fresh noise on every step.

#include "plugin/sampling/reference_math.hpp"
#include "plugin/sampling/samplers/sampler_bases.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

namespace {

const SchedulerClass kEulerClass = {.label = "Euler",
                                    .hasSigmaSpreads = true,
                                    .hasFinalSigma = true,
                                    .hasZeroSnr = true,
                                    .hasEdm = true,
                                    .hasFlow = true};

/// Euler's method along dx/dsigma. Source: Karras et al. 2022, algorithm 2 without churn; values:
/// EulerDiscreteScheduler.
class Euler final : public SigmaSampler {
public:
    using SigmaSampler::SigmaSampler;

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>&) override {
        const float level = sigma(call);
        const at::Tensor slope = (latents - clean(prediction, latents, level)) / level;
        return latents + slope * (sigma(call + 1) - level);
    }
};

std::unique_ptr<Sampler> makeEuler(const Json& config, const ScheduleOptions& options) {
    const JsonReader reader = schedulerReader(config);
    const std::string interpolation = reader.text("interpolation_type").value_or("linear");
    if (interpolation != "linear") {
        refuseSetting("interpolation_type", interpolation, message("linear"));
    }
    const SchedulerConfig settings = readSchedulerConfig(config, kEulerClass, options);
    const std::string timesteps = reader.text("timestep_type").value_or("discrete");
    if (timesteps != "discrete" && settings.prediction == Prediction::Velocity) {
        refuseSetting("timestep_type", timesteps, message("discrete"));
    }
    return std::make_unique<Euler>(settings, options);
}

}  // namespace

SamplerType euler() {
    return {.name = "euler",
            .label = kEulerClass.label,
            .schedulerClass = "EulerDiscreteScheduler",
            .otherClasses = {"EDMEulerScheduler", "FlowMatchEulerDiscreteScheduler"},
            .readsZeroSnr = kEulerClass.hasZeroSnr,
            .make = makeEuler};
}

namespace {

const SchedulerClass kEulerAncestralClass = {
    .label = "Euler a", .hasZeroSnr = true, .predictsSample = false, .hasEdm = true};

/// Ancestral Euler: steps further down than asked and adds fresh noise on every step, the last
/// included (times 0 there, but drawn). Source: k-diffusion sample_euler_ancestral; values:
/// EulerAncestralDiscreteScheduler.
class EulerAncestral final : public SigmaSampler {
public:
    using SigmaSampler::SigmaSampler;

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>& noise) override {
        const float from = sigma(call);
        const float to = sigma(call + 1);
        const float up = root(to * to * (from * from - to * to) / (from * from));
        const float down = root(to * to - up * up);
        const at::Tensor slope = (latents - clean(prediction, latents, from)) / from;
        const at::Tensor moved = latents + slope * (down - from);
        return moved + noise(prediction.sizes()) * up;
    }
};

std::unique_ptr<Sampler> makeEulerAncestral(const Json& config, const ScheduleOptions& options) {
    return std::make_unique<EulerAncestral>(
        readSchedulerConfig(config, kEulerAncestralClass, options), options);
}

}  // namespace

SamplerType euler_a() {
    return {.name = "euler_a",
            .label = kEulerAncestralClass.label,
            .schedulerClass = "EulerAncestralDiscreteScheduler",
            .drawsNoise = true,
            .readsZeroSnr = kEulerAncestralClass.hasZeroSnr,
            .make = makeEulerAncestral};
}

}  // namespace lowtide::sampling
