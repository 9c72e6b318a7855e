#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"

namespace lowtide::sampling {

#define LOWTIDE_ENTRY(name) StepCacheType name();
#include "step_cache_list.inc"
#undef LOWTIDE_ENTRY

std::span<const StepCacheType> stepCaches() {
    static const std::vector<StepCacheType> kTypes = {
#define LOWTIDE_ENTRY(name) name(),
#include "step_cache_list.inc"
#undef LOWTIDE_ENTRY
    };
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
                "there is no step cache \"" + std::string(name) + "\"",
                "there are " + join(known, ", "));
}

}  // namespace lowtide::sampling
