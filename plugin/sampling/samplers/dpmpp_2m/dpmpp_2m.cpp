#include "plugin/sampling/dpm_multistep.hpp"

namespace lowtide::sampling {

namespace {

constexpr const char* kDpmpp2mLabel = "DPM++ 2M";

std::unique_ptr<Sampler> makeDpmpp2m(const Json& config, const ScheduleOptions& options) {
    return makeDpmMultistep(config, Json::object(), kDpmpp2mLabel, options);
}

}  // namespace

SamplerType dpmpp_2m() {
    return {.name = "dpmpp_2m",
            .label = kDpmpp2mLabel,
            .schedulerClass = "DPMSolverMultistepScheduler",
            .otherClasses = {kEdmMultistepClass},
            .named = {{"algorithm_type", "dpmsolver++"}, {"solver_order", 2}},
            .readsZeroSnr = kMultistepReadsZeroSnr,
            .facts = multistepFacts,
            .make = makeDpmpp2m};
}

}  // namespace lowtide::sampling
