#pragma once

#include "plugin/executor/node.hpp"
#include "plugin/models/stages.hpp"

#include <string>

namespace lowtide::nodes {

/// "cache.deepcache": partial steps that compute the outermost levels of a UNet.
[[nodiscard]] executor::NodeType deepCacheNode(models::Stages& stages);

/// The type of a node whose parameters are the settings of the step cache `kind`. Fills in its
/// category and its output.
[[nodiscard]] executor::NodeType cacheNode(models::Stages& stages, NodeDesc desc, std::string kind);

}  // namespace lowtide::nodes
