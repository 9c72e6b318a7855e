#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/sampling/step_caches/gates/mag_curve.hpp"
#include "plugin/sampling/step_caches/gates/mag_gate.hpp"
#include "plugin/sampling/step_caches/gates/reuse_decision.hpp"

#include <string>
#include <vector>

namespace lowtide::sampling {

/// What a person chose for the block cache.
struct BlockCacheSettings {
    std::string gate;        ///< "first_block", "mag" or "mask"
    double threshold = 0;    ///< of the gate "first_block"
    MagCurve curve{};        ///< of the gate "mag"
    MagSettings mag{};       ///< likewise
    std::vector<bool> mask;  ///< of the gate "mask": true: computed
    std::string predictor;   ///< "reuse" or "taylor"
    ReuseLimits limits;
};

/// Settings by the ids of the node's parameters, with the texts of files in place of their paths
/// and their names in "curve_name" and "mask_file_name". Error{InvalidInput} blames the setting,
/// Error{Corrupt} or Error{Unsupported} "curve" or "mask_file".
[[nodiscard]] BlockCacheSettings readBlockCache(const Json& settings);

}  // namespace lowtide::sampling
