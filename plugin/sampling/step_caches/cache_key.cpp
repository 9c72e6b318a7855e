#include "plugin/sampling/step_caches/cache_key.hpp"

#include <utility>

namespace lowtide::sampling {

CacheKey CacheKey::of(const at::Tensor& input, std::string model) {
    return {.sizes = input.sizes().vec(),
            .type = input.scalar_type(),
            .device = input.device(),
            .model = std::move(model)};
}

std::optional<std::string_view> differenceOf(const CacheKey& kept, const CacheKey& wanted) {
    if (kept.model != wanted.model) {
        return "model";
    }
    if (kept.device != wanted.device) {
        return "device";
    }
    if (kept.type != wanted.type) {
        return "dtype";
    }
    if (kept.sizes != wanted.sizes) {
        return "shape";
    }
    return std::nullopt;
}

}  // namespace lowtide::sampling
