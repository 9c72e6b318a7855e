#include "nodes/denoise/denoise_cache.hpp"

#include "nodes/denoise/denoise_fields.hpp"
#include "nodes/denoise/denoise_schedule.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/model_hashes.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/sampling/denoise_loop.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/solvers/level_sampler.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace lowtide::nodes {

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

sampling::CachedRun runOf(const models::Model& model,
                          const DenoiseAsked& asked,
                          const std::string& samplerName,
                          const sampling::Sampler& sampler) {
    const sampling::CallRange calls = sampling::callsOf(sampler, partOf(model, asked));
    return sampling::cachedRun(sampler,
                               calls,
                               model.info().cachePoints,
                               schedulerText(model, asked, samplerName),
                               lowNoiseModelFor(model, asked));
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

std::shared_ptr<const sampling::StepCache> stepCacheIn(const DenoiseAsked& asked) {
    auto cache = std::dynamic_pointer_cast<const sampling::StepCache>(meantBy(asked.stepCache));
    if (asked.stepCache && !cache) {
        throw Error(ErrorKind::InvalidInput,
                    message("the input step_cache is no step cache"),
                    message("connect a node of the category Step caches"),
                    kPort);
    }
    return cache;
}

namespace {

DenoiseAsked withWeightsHash(DenoiseAsked asked, std::function<std::string()> weightsHash) {
    if (auto cache = stepCacheIn(asked)) {
        asked.stepCache =
            std::make_shared<const CacheOnWeights>(std::move(cache), std::move(weightsHash));
    }
    return asked;
}

}  // namespace

DenoiseAsked identified(const DenoiseAsked& asked,
                        models::ModelHashes& hashes,
                        const StopToken& stop) {
    std::vector<std::string> ids;
    for (const auto& tree : denoisersOf(modelIn(asked.model))) {
        hashes.know(*tree);
        ids.push_back(tree->networkId());
    }
    for (const NamedFile& named : namedFiles(asked)) {
        hashes.know(named.file, named.hash);
    }
    return withWeightsHash(asked, [&hashes, stop, ids] {
        std::vector<std::string> digests;
        for (const std::string& id : ids) {
            digests.push_back(hashes.digestOf(id, stop));
        }
        return digests.size() == 1 ? digests.front() : sha256Hex(join(digests, ""));
    });
}

memory::Judgement judgeDenoise(const models::Model& model,
                               const DenoiseAsked& asked,
                               const sampling::Sampler& sampler,
                               const memory::ComponentPrecision& precision) {
    const UsedSampler facts = usedSamplerFor(model, asked);
    memory::Combination chosen{.precision = precision,
                               .sampler = {.label = facts.label,
                                           .isDistilled = facts.isDistilled,
                                           .drawsNoise = facts.drawsNoise || asked.eta > 0},
                               .denoiser = sampling::denoiserTraits(model.info().cachePoints)};
    chosen.denoiser.embedsGuidance = model.info().guidance == sampling::Guidance::Embedded;
    if (const auto cache = stepCacheIn(asked); cache && !keepsLatent(asked)) {
        const sampling::LevelSampler* solver = sampler.alongLevels();
        requireThat(!solver || !solver->type().choosesSteps,
                    message("{} chooses its steps while it runs, and a step cache counts them",
                            facts.label),
                    message("leave the step cache unconnected, or choose another sampler"),
                    kPort);
        addCache(chosen, *cache, runOf(model, asked, facts.name, sampler));
    }
    return memory::requireAllowed(chosen);
}

Issues warningsOf(const memory::Judgement& judgement) {
    Issues issues;
    for (const Message& warning : judgement.warnings) {
        issues.push_back(
            {.severity = Severity::Warning, .code = "combination", .message = warning});
    }
    return issues;
}

}  // namespace lowtide::nodes
