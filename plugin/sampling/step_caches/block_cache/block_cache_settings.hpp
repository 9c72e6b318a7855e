#pragma once

#include "plugin/base/json.hpp"
#include "plugin/sampling/step_caches/gates/reuse_decision.hpp"

#include <string>
#include <vector>

namespace lowtide::sampling {

/// What a person chose for the block cache.
struct BlockCacheSettings {
    std::string gate;        ///< "first_block" or "mask"
    double threshold = 0;    ///< of the gate
    std::vector<bool> mask;  ///< of the gate "mask": true: computed
    std::string predictor;   ///< "reuse" or "taylor"
    ReuseLimits limits;
};

/// Settings by the ids of the node's parameters. Error{InvalidInput} blames the setting.
[[nodiscard]] BlockCacheSettings readBlockCache(const Json& settings);

}  // namespace lowtide::sampling
