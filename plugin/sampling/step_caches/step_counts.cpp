#include "plugin/sampling/step_caches/step_counts.hpp"

namespace lowtide::sampling {

Json toJson(const StepCounts& counts) {
    return {{"full", counts.full},
            {"partial", counts.partial},
            {"predicted", counts.predicted},
            {"misses", Json(counts.misses)},
            {"bytes", counts.mostBytes},
            {"bytes_after", counts.bytesAfter}};
}

}  // namespace lowtide::sampling
