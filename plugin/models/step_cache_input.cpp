#include "plugin/models/step_cache_input.hpp"

#include "plugin/base/error.hpp"
#include "plugin/models/denoise_stage.hpp"
#include "plugin/sampling/denoise_loop.hpp"

#include <utility>

namespace lowtide::models {

namespace {

constexpr const char* kPort = "step_cache";

/// A step cache with the hash of the weights that it will work on.
class CacheOnWeights final : public sampling::StepCache {
public:
    CacheOnWeights(std::shared_ptr<const sampling::StepCache> cache,
                   std::function<std::string()> weightsHash)
        : cache_(std::move(cache)), weightsHash_(std::move(weightsHash)) {}

    [[nodiscard]] std::string label() const override { return cache_->label(); }

    [[nodiscard]] bool isLossy() const override { return cache_->isLossy(); }

    [[nodiscard]] sampling::CacheSessions begin(const sampling::CachedRun& run) const override {
        sampling::CachedRun here = run;
        here.identity.checkpoint = weightsHash_;
        return cache_->begin(here);
    }

private:
    const std::shared_ptr<const sampling::StepCache> cache_;
    const std::function<std::string()> weightsHash_;
};

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

DenoiseRequest withWeightsHash(DenoiseRequest request, std::function<std::string()> weightsHash) {
    if (auto cache = stepCacheIn(request)) {
        request.stepCache =
            std::make_shared<const CacheOnWeights>(std::move(cache), std::move(weightsHash));
    }
    return request;
}

std::string schedulerText(const DenoiseRequest& request, const std::string& sampler) {
    return sampler + ", sigmas " + request.sigmas + ", spacing " + request.spacing;
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
            sampler, calls, model.info().cachePoints, schedulerText(request, type.name)));
    } catch (const Error& error) {
        throw Error(error.kind(), error.message(), error.hint(), kPort);
    }
}

}  // namespace lowtide::models
