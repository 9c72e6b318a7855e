#pragma once

#include "nodes/engine/stages.hpp"
#include "plugin/executor/node.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::nodes {

/// A whole number of `unit` from `least` on; the slider ends at `usual`.
[[nodiscard]] ParamDesc countParam(std::string id,
                                   std::string label,
                                   std::string tooltip,
                                   std::string unit,
                                   int64_t defaultValue,
                                   double least,
                                   double usual);
/// A number from `least` to `most`; the slider ends at `usual`.
[[nodiscard]] ParamDesc numberParam(std::string id,
                                    std::string label,
                                    std::string tooltip,
                                    double defaultValue,
                                    double least,
                                    double most,
                                    double usual);
/// "warm_up", "max_consecutive" and "keep_last", which caches that decide on the way have.
[[nodiscard]] std::vector<ParamDesc> limitParams(int64_t warmUp, int64_t mostInARow);

/// Puts into the settings what lies in files; gives their fingerprints, for result keys.
using SettingFiles =
    std::function<std::vector<std::string>(Json& settings, std::string_view graphFolder)>;

/// The type of a node whose parameters are the settings of the step cache `kind`. Fills in its
/// category and its output.
[[nodiscard]] executor::NodeType cacheNode(NodeDesc desc,
                                           std::string kind,
                                           SettingFiles files = {});

}  // namespace lowtide::nodes
