#include "plugin/sampling/dpm_multistep.hpp"

namespace lowtide::sampling {

namespace {

constexpr const char* kLabel = "DPM++ 3M";
const Json kSettings = {{"solver_order", 3}};

std::unique_ptr<Sampler> make(const Json& config, const ScheduleOptions& options) {
    return makeDpmMultistep(config, kSettings, kLabel, options);
}

}  // namespace

SamplerType dpmpp_3m() {
    return {.name = "dpmpp_3m",
            .label = kLabel,
            .schedulerClass = "DPMSolverMultistepScheduler",
            .settings = kSettings,
            .make = make};
}

}  // namespace lowtide::sampling
