#include "plugin/models/step_cache_input.hpp"

#include "plugin/base/error.hpp"
#include "plugin/models/denoise_stage.hpp"
#include "plugin/models/experts.hpp"
#include "plugin/models/flow_shift.hpp"
#include "plugin/sampling/denoise_loop.hpp"

#include <algorithm>
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

    [[nodiscard]] memory::CacheNeed need() const override { return cache_->need(); }

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

sampling::CachedRun runOf(const Model& model,
                          const DenoiseRequest& request,
                          const std::string& samplerName,
                          const sampling::Sampler& sampler) {
    const sampling::CallRange calls = sampling::callsOf(sampler, partOf(model, request));
    return sampling::cachedRun(sampler,
                               calls,
                               model.info().cachePoints,
                               schedulerText(request, samplerName),
                               secondExpertFor(model, request));
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
    const auto* known = dynamic_cast<const KnownValue*>(request.stepCache.get());
    auto cache = std::dynamic_pointer_cast<const sampling::StepCache>(known ? known->value()
                                                                            : request.stepCache);
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

memory::Judgement judgeDenoise(const Model& model,
                               const DenoiseRequest& request,
                               const sampling::Sampler& sampler,
                               const memory::ComponentPrecision& precision) {
    const auto [type, config, facts] =
        sampling::chosenSampler(request.sampler, schedulerFor(model, request));
    memory::Combination chosen{.precision = precision,
                               .sampler = {.label = facts.label,
                                           .isDistilled = type.isDistilled,
                                           .drawsNoise = facts.drawsNoise || request.eta > 0},
                               .denoiser = sampling::denoiserTraits(model.info().cachePoints)};
    chosen.denoiser.embedsGuidance = model.info().embedsGuidance;
    if (const auto cache = stepCacheIn(request); cache && !keepsLatent(request)) {
        addCache(chosen, *cache, runOf(model, request, type.name, sampler));
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
