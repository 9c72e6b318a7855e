#include "plugin/sampling/dpm_multistep.hpp"

namespace lowtide::sampling {

namespace {

constexpr const char* kLabel = "DPM++ 2M SDE";
const Json kSettings = {{"algorithm_type", "sde-dpmsolver++"}};

std::unique_ptr<Sampler> make(const Json& config, const ScheduleOptions& options) {
    return makeDpmMultistep(config, kSettings, kLabel, options);
}

}  // namespace

SamplerType dpmpp_2m_sde() {
    return {.name = "dpmpp_2m_sde",
            .label = kLabel,
            .schedulerClass = "DPMSolverMultistepScheduler",
            .settings = kSettings,
            .drawsNoise = true,
            .make = make};
}

}  // namespace lowtide::sampling
