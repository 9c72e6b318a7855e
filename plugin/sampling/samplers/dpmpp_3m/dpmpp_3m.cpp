#include "plugin/sampling/dpm_multistep.hpp"

namespace lowtide::sampling {

namespace {

constexpr const char* kDpmpp3mLabel = "DPM++ 3M";
const Json kDpmpp3mSettings = {{"solver_order", 3}};

std::unique_ptr<Sampler> makeDpmpp3m(const Json& config, const ScheduleOptions& options) {
    return makeDpmMultistep(config, kDpmpp3mSettings, kDpmpp3mLabel, options);
}

}  // namespace

SamplerType dpmpp_3m() {
    return {.name = "dpmpp_3m",
            .label = kDpmpp3mLabel,
            .schedulerClass = "DPMSolverMultistepScheduler",
            .otherClasses = {kEdmMultistepClass},
            .settings = kDpmpp3mSettings,
            .named = {{"algorithm_type", "dpmsolver++"}, {"solver_order", 3}},
            .readsZeroSnr = kMultistepReadsZeroSnr,
            .facts = multistepFacts,
            .make = makeDpmpp3m};
}

}  // namespace lowtide::sampling
