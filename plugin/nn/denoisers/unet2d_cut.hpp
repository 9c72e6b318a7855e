#pragma once

#include <cstddef>

namespace lowtide::models {

struct UNet2DConfig;

/// Where a partial call of the UNet leaves the way down and where it enters the way up: the units
/// between are left out, and their result is taken from a call before. Source: DeepCache 0.1.1,
/// DeepCacheSDHelper, whose cache_branch_id is the depth.
struct UNetCut {
    size_t level = 0;      ///< the last level of the way down that it computes anything of
    size_t downUnits = 0;  ///< of that level
    size_t upUnit = 0;     ///< of the way up in the same level, that it enters with

    /// Nothing but the middle block is left out.
    [[nodiscard]] bool isAtMiddle(const UNet2DConfig& config) const;
};

/// The depth that leaves out least.
[[nodiscard]] int deepestCut(const UNet2DConfig& config);
/// The depth whose cut lies behind the first level of the way down, before it shrinks.
[[nodiscard]] int firstLevelCut();
/// `depth` from 0 (the last unit of the way up is computed) to deepestCut(): three for each level,
/// as for the published models; a level with fewer units has the same cut for several.
[[nodiscard]] UNetCut cutAt(const UNet2DConfig& config, int depth);

}  // namespace lowtide::models
