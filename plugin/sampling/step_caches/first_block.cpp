#include "plugin/sampling/step_caches/first_block.hpp"

#include "plugin/base/error.hpp"

namespace lowtide::sampling {

void requireFirstBlock(const CachePoints& points, const std::string& cache) {
    if (points.firstBlock >= 0) {
        return;
    }
    throw Error(ErrorKind::Unsupported,
                cache + " needs a denoiser that states its first block, this one does not",
                "take the cache away, or use the step forecast, which fits every model");
}

}  // namespace lowtide::sampling
