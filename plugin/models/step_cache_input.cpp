#include "plugin/models/step_cache_input.hpp"

#include "plugin/base/error.hpp"
#include "plugin/models/denoise_stage.hpp"
#include "plugin/sampling/denoise_loop.hpp"

namespace lowtide::models {

namespace {

constexpr const char* kPort = "step_cache";

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

sampling::RunIdentity identityOf(const DenoiseRequest& request, const std::string& sampler) {
    return {.scheduler = sampler + ", sigmas " + request.sigmas + ", spacing " + request.spacing,
            .checkpoint = request.weightsHash};
}

void checkStepCache(const Model& model,
                    const DenoiseRequest& request,
                    const sampling::SamplerType& type,
                    const sampling::Sampler& sampler) {
    const auto cache = stepCacheIn(request);
    if (!cache) {
        return;
    }
    if (type.isDistilled) {
        throw Error(ErrorKind::InvalidInput,
                    "a step cache reuses what neighbouring steps have in common, and " +
                        type.label + " takes a few steps that have little in common",
                    "take the step cache away, or choose another sampler",
                    kPort);
    }
    const sampling::CallRange calls =
        sampling::callsOf(sampler, startStepOf(request), request.endStep, request.keepNoise);
    try {
        (void)cache->begin(sampling::cachedRun(
            sampler, calls, model.info().cachePoints, identityOf(request, type.name)));
    } catch (const Error& error) {
        throw Error(error.kind(), error.message(), error.hint(), kPort);
    }
}

}  // namespace lowtide::models
