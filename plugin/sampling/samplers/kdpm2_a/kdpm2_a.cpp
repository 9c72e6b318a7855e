#include "plugin/base/error.hpp"
#include "plugin/sampling/timestep_spacing.hpp"
#include "plugin/sampling/two_stage_sampler.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

namespace {

const SchedulerClass kKdpm2AncestralClass = {
    .label = "DPM2 a",
    .noise = {.betaStart = 0.00085, .betaEnd = 0.012, .betas = {}},
    .hasSigmaSpreads = true,
    .predictsSample = false,
    .hasEdm = true,
    .karrasTimesteps = KarrasTimesteps::Whole};

/// From a very high sigma the way down is lost in the rounding of float32, here and in the
/// reference.
void refuseLostWay(const at::Tensor& middles) {
    if (at::isnan(middles).any().const_data_ptr<bool>()[0]) {
        throw Error(ErrorKind::Unsupported,
                    "DPM2 a cannot go down in " + std::to_string(middles.size(0) + 1) +
                        " steps: noise levels are too far apart for single precision",
                    "choose more steps, sigmas that lie closer, or another sampler",
                    "steps");
    }
}

/// Ancestral DPM-Solver-2: goes further down than asked, with the slope in the middle of the way,
/// and adds fresh noise after every step but one to noise 0. Source: k-diffusion
/// sample_dpm_2_ancestral; values: KDPM2AncestralDiscreteScheduler.
class Kdpm2Ancestral final : public TwoStageSampler {
public:
    Kdpm2Ancestral(const SchedulerConfig& config, const ScheduleOptions& options)
        : TwoStageSampler(config, options) {
        const at::Tensor sigmas = schedule().sigmas;
        const at::Tensor from = sigmas.slice(0, 0, -1);
        const at::Tensor to = sigmas.slice(0, 1);
        const at::Tensor fresh =
            at::pow(at::pow(to, 2) * (at::pow(from, 2) - at::pow(to, 2)) / at::pow(from, 2), 0.5);
        const at::Tensor down = at::pow(at::pow(to, 2) - at::pow(fresh, 2), 0.5);
        const at::Tensor between = at::exp(at::lerp(at::log(from), at::log(down), 0.5));
        refuseLostWay(between.slice(0, 0, -1));
        const at::Tensor timesteps =
            floatValues(process().timesAt(floatsOf(between.slice(0, 0, -1))));
        setLevels({.middle = floatsOf(between), .target = floatsOf(down), .fresh = floatsOf(fresh)},
                  timesteps,
                  3);
    }
};

std::unique_ptr<Sampler> makeKdpm2Ancestral(const Json& config, const ScheduleOptions& options) {
    return std::make_unique<Kdpm2Ancestral>(
        readSchedulerConfig(config, kKdpm2AncestralClass, options), options);
}

}  // namespace

SamplerType kdpm2_a() {
    return {.name = "kdpm2_a",
            .label = kKdpm2AncestralClass.label,
            .schedulerClass = "KDPM2AncestralDiscreteScheduler",
            .drawsNoise = true,
            .readsZeroSnr = kKdpm2AncestralClass.hasZeroSnr,
            .make = makeKdpm2Ancestral};
}

}  // namespace lowtide::sampling
