#include "plugin/sampling/dpm_multistep.hpp"

namespace lowtide::sampling {

namespace {

constexpr const char* kDpmpp2mSdeLabel = "DPM++ 2M SDE";
const Json kDpmpp2mSdeSettings = {{"algorithm_type", "sde-dpmsolver++"}};

std::unique_ptr<Sampler> makeDpmpp2mSde(const Json& config, const ScheduleOptions& options) {
    return makeDpmMultistep(config, kDpmpp2mSdeSettings, kDpmpp2mSdeLabel, options);
}

}  // namespace

SamplerType dpmpp_2m_sde() {
    return {.name = "dpmpp_2m_sde",
            .label = kDpmpp2mSdeLabel,
            .schedulerClass = "DPMSolverMultistepScheduler",
            .otherClasses = {kEdmMultistepClass},
            .settings = kDpmpp2mSdeSettings,
            .named = {{"algorithm_type", "sde-dpmsolver++"}, {"solver_order", 2}},
            .drawsNoise = true,
            .readsZeroSnr = kMultistepReadsZeroSnr,
            .facts = multistepFacts,
            .make = makeDpmpp2mSde};
}

}  // namespace lowtide::sampling
