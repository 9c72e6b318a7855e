#pragma once

#include "nodes/engine/stages.hpp"
#include "plugin/executor/node.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::nodes {

/// "cache.deepcache": partial steps that compute the outermost levels of a UNet.
[[nodiscard]] executor::NodeType deepCacheNode(Stages& stages);

/// "cache.block": the first block runs in every step and tells whether the others are reused.
[[nodiscard]] executor::NodeType blockCacheNode(Stages& stages);
/// "cache.mag_record": spares nothing, measures what a curve for "cache.block" is made from.
[[nodiscard]] executor::NodeType magRecordNode(Stages& stages);
/// "cache.forecast": whole results of the network, foretold from those before.
[[nodiscard]] executor::NodeType stepForecastNode(Stages& stages);

/// A whole number of `unit` from `least` on; the slider ends at `usual`.
[[nodiscard]] ParamDesc countParam(std::string id,
                                   std::string label,
                                   std::string tooltip,
                                   std::string unit,
                                   int64_t defaultValue,
                                   double least,
                                   double usual);
/// "warm_up", "max_consecutive" and "keep_last", which caches that decide on the way have.
[[nodiscard]] std::vector<ParamDesc> limitParams(int64_t warmUp, int64_t mostInARow);

/// Puts into the settings what lies in files; gives their fingerprints, for result keys.
using SettingFiles =
    std::function<std::vector<std::string>(Json& settings, std::string_view graphFolder)>;

/// The type of a node whose parameters are the settings of the step cache `kind`. Fills in its
/// category and its output.
[[nodiscard]] executor::NodeType cacheNode(Stages& stages,
                                           NodeDesc desc,
                                           std::string kind,
                                           SettingFiles files = {});

}  // namespace lowtide::nodes
