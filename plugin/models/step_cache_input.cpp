#include "plugin/models/step_cache_input.hpp"

#include "plugin/base/error.hpp"
#include "plugin/models/denoise_stage.hpp"
#include "plugin/sampling/denoise_loop.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

constexpr const char* kPort = "step_cache";

sampling::CachedRun runOf(const Model& model,
                          const DenoiseRequest& request,
                          const sampling::Sampler& sampler) {
    const sampling::CallRange calls =
        sampling::callsOf(sampler, startStepOf(request), request.endStep, request.keepNoise);
    return sampling::cachedRun(sampler, calls, model.info().cachePoints);
}

void addCache(memory::Combination& chosen,
              const sampling::StepCache& cache,
              const sampling::CachedRun& run) {
    chosen.sampler.calls = run.callCount();
    chosen.sampler.hasStages =
        std::any_of(run.stages.begin(), run.stages.end(), [](int stage) { return stage > 0; });
    try {
        chosen.cache = sampling::chosenCache(cache, run);
    } catch (const Error& error) {
        throw Error(error.kind(), error.message(), error.hint(), kPort);
    }
}

}  // namespace

std::shared_ptr<const sampling::StepCache> stepCacheIn(const DenoiseRequest& request) {
    auto cache = std::dynamic_pointer_cast<const sampling::StepCache>(request.stepCache);
    if (request.stepCache && !cache) {
        throw Error(ErrorKind::InvalidInput,
                    "the input step_cache is no step cache",
                    "connect a node of the category Step caches",
                    kPort);
    }
    return cache;
}

memory::Judgement judgeDenoise(const Model& model,
                               const DenoiseRequest& request,
                               const sampling::Sampler& sampler,
                               const memory::ComponentPrecision& precision) {
    const sampling::SamplerType& type =
        sampling::samplerNamed(request.sampler, model.info().schedulerConfig);
    memory::Combination chosen{.precision = precision,
                               .sampler = {.label = type.label,
                                           .isDistilled = type.isDistilled,
                                           .drawsNoise = type.drawsNoise || request.eta > 0},
                               .denoiser = sampling::denoiserTraits(model.info().cachePoints)};
    chosen.denoiser.embedsGuidance = model.info().embedsGuidance;
    if (const auto cache = stepCacheIn(request)) {
        addCache(chosen, *cache, runOf(model, request, sampler));
    }
    return memory::requireAllowed(chosen);
}

Issues warningsOf(const memory::Judgement& judgement) {
    Issues issues;
    for (const std::string& warning : judgement.warnings) {
        issues.push_back(
            {.severity = Severity::Warning, .code = "combination", .message = warning});
    }
    return issues;
}

}  // namespace lowtide::models
