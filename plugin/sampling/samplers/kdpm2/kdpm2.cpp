#include "plugin/sampling/timestep_spacing.hpp"
#include "plugin/sampling/two_stage_sampler.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

namespace {

const SchedulerClass kKdpm2Class = {.label = "DPM2",
                                    .noise = {.betaStart = 0.00085, .betaEnd = 0.012, .betas = {}},
                                    .hasSigmaSpreads = true,
                                    .predictsSample = false,
                                    .hasEdm = true,
                                    .hasFlow = true,
                                    .karrasTimesteps = KarrasTimesteps::Whole};

/// DPM-Solver-2: the slope in the middle of a step, even in log sigma. Source: Karras et al. 2022,
/// algorithm 2, and Lu et al. 2022 as k-diffusion joins them; values: KDPM2DiscreteScheduler.
class Kdpm2 final : public TwoStageSampler {
public:
    Kdpm2(const SchedulerConfig& config, const ScheduleOptions& options)
        : TwoStageSampler(config, options) {
        const at::Tensor logs = at::log(schedule().sigmas);
        const at::Tensor between = at::exp(at::lerp(logs, at::roll(logs, 1), 0.5)).slice(0, 1);
        const at::Tensor timesteps =
            floatValues(process().timesAt(floatsOf(between.slice(0, 0, -1))));
        setLevels({.middle = floatsOf(between), .target = nextSigmas(), .fresh = {}}, timesteps, 3);
    }
};

std::unique_ptr<Sampler> makeKdpm2(const Json& config, const ScheduleOptions& options) {
    return std::make_unique<Kdpm2>(readSchedulerConfig(config, kKdpm2Class, options), options);
}

}  // namespace

SamplerType kdpm2() {
    return {.name = "kdpm2",
            .label = kKdpm2Class.label,
            .schedulerClass = "KDPM2DiscreteScheduler",
            .readsZeroSnr = kKdpm2Class.hasZeroSnr,
            .make = makeKdpm2};
}

}  // namespace lowtide::sampling
