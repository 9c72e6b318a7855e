#pragma once

#include "plugin/sampling/step_caches/cache_points.hpp"

#include <string>

namespace lowtide::sampling {

/// Error{Unsupported} that names `cache` where the network states no first block.
void requireFirstBlock(const CachePoints& points, const std::string& cache);

}  // namespace lowtide::sampling
