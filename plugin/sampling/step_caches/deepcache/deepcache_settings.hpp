#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/sampling/step_caches/deepcache/deepcache_schedule.hpp"

namespace lowtide::sampling {

/// Settings by the ids of the node's parameters. Other programs' names stand for ours where they
/// are not -1: "cache_interval" for interval; "cache_branch_id" (DeepCacheSDHelper) for depth;
/// "cache_layer_id" L with "cache_block_id" K (OneDiff and the paper's code, which call the block a
/// layer) for depth 3 L + K + 1. Error{InvalidInput} blames the setting.
[[nodiscard]] DeepCacheSettings readDeepCache(const Json& settings);

}  // namespace lowtide::sampling
