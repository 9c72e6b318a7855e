#pragma once
// DeepCache: full calls in an interval, and partial ones that take the deep features of the last
// full one.

#include "plugin/base/json_fwd.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"

#include <string>
#include <vector>

namespace lowtide::sampling {

/// How full calls are spread over a run.
enum class FullCalls : uint8_t { Uniform, PowerCentre, Mask };

/// What a user chose for DeepCache.
struct DeepCacheSettings {
    int interval = 3;  ///< calls of the network from one full one to the next; 1: all are full
    int depth = 1;
    FullCalls spread = FullCalls::Uniform;
    double power = 1.4;             ///< of PowerCentre: more of them near the centre
    int centre = 15;                ///< of PowerCentre: the call around which they are densest
    std::vector<bool> mask;         ///< of Mask: a flag for every call of the run, true: full
    double start = 0;               ///< fraction of the schedule's calls before which all are full
    double end = 1;                 ///< fraction from which on all are full
    int keepLast = 0;               ///< calls at the end that are full
    bool isFirstStageFull = false;  ///< of samplers with several calls in a step
};

/// A flag for every call of the run, true: full. The first is. Error{InvalidInput} blames "mask",
/// "power" or "interval".
[[nodiscard]] std::vector<bool> fullCalls(const DeepCacheSettings& settings, const CachedRun& run);

/// The `count` calls of `total` that lie densest around `centre`, in order, beginning with 0.
/// Error{InvalidInput} blames "power" where no power gives as many. Source: DeepCache 0.1.1,
/// sample_from_quad_center, whose numbers it has.
[[nodiscard]] std::vector<int> powerCentreCalls(int total, int count, int centre, double power);

/// Settings by the ids of the node's parameters. Other programs' names stand for ours where they
/// are not -1: "cache_interval" for interval; "cache_branch_id" (DeepCacheSDHelper) for depth;
/// "cache_layer_id" L with "cache_block_id" K (OneDiff and the paper's code, which call the block a
/// layer) for depth 3 L + K + 1. Error{InvalidInput} blames the setting.
[[nodiscard]] DeepCacheSettings readDeepCache(const Json& settings);

}  // namespace lowtide::sampling
