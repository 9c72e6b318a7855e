#include "plugin/sampling/sigma_sampler.hpp"

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
        refuseSetting("interpolation_type", interpolation, "linear");
    }
    const SchedulerConfig settings = readSchedulerConfig(config, kEulerClass, options);
    const std::string timesteps = reader.text("timestep_type").value_or("discrete");
    if (timesteps != "discrete" && settings.prediction == Prediction::Velocity) {
        refuseSetting("timestep_type", timesteps, "discrete");
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

}  // namespace lowtide::sampling
