#include "plugin/sampling/step_caches/step_cache.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

namespace lowtide::sampling {

memory::DenoiserTraits denoiserTraits(const CachePoints& points) {
    return {.canBeCut = points.deepest >= 0, .hasFirstBlock = points.firstBlock >= 0};
}

void checkNeed(const StepCache& cache, const CachePoints& points) {
    (void)memory::requireAllowed({.cache = {.label = cache.label(), .need = cache.need()},
                                  .denoiser = denoiserTraits(points)});
}

memory::ChosenCache chosenCache(const StepCache& cache, const CachedRun& run) {
    const CacheSessions sessions = cache.begin(run);
    return {.label = cache.label(),
            .need = cache.need(),
            .sparesNothing = !cache.isLossy() || sessions.isEmpty()};
}

StepCacheType deepcache();
StepCacheType block_cache();
StepCacheType step_forecast();
StepCacheType mag_record();

std::span<const StepCacheType> stepCaches() {
    static const std::vector<StepCacheType> kTypes = {
        deepcache(), block_cache(), step_forecast(), mag_record()};
    return kTypes;
}

const StepCacheType& stepCacheNamed(std::string_view name) {
    std::vector<std::string> known;
    for (const StepCacheType& type : stepCaches()) {
        if (type.name == name) {
            return type;
        }
        known.push_back(type.name);
    }
    throw Error(ErrorKind::NotFound,
                message("there is no step cache \"{}\"", name),
                message("there are {}", join(known, ", ")));
}

}  // namespace lowtide::sampling
