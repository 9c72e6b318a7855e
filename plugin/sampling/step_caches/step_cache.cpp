#include "plugin/sampling/step_caches/step_cache.hpp"

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

}  // namespace lowtide::sampling
