#include "plugin/sampling/dpm_multistep.hpp"

namespace lowtide::sampling {

namespace {

constexpr const char* kLabel = "DPM++ 2M";

std::unique_ptr<Sampler> make(const Json& config, const ScheduleOptions& options) {
    return makeDpmMultistep(config, Json::object(), kLabel, options);
}

}  // namespace

SamplerType dpmpp_2m() {
    return {.name = "dpmpp_2m",
            .label = kLabel,
            .schedulerClass = "DPMSolverMultistepScheduler",
            .make = make};
}

}  // namespace lowtide::sampling
