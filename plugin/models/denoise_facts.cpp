#include "plugin/models/denoise_facts.hpp"

#include "plugin/base/json.hpp"
#include "plugin/sampling/denoise_loop.hpp"

namespace lowtide::models {

void tellDenoised(const sampling::DenoiseResult& result, const StageCall& call) {
    if (!call.tell) {
        return;
    }
    call.tell("steps", sampling::toJson(result.steps));
    if (!result.cacheRecord.is_null()) {
        call.tell("cache_record", result.cacheRecord);
    }
    if (!result.errors.empty()) {
        call.tell("teacher_forced", sampling::toJson(result.errors));
    }
}

}  // namespace lowtide::models
