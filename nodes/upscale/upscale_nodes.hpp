#pragma once

#include "plugin/executor/node.hpp"

namespace lowtide::models {
class Stages;
}

namespace lowtide::nodes {

/// "upscale.image": pictures at another size by a filter.
[[nodiscard]] executor::NodeType upscaleImageNode(models::Stages& stages);
/// "upscale.model": pictures enlarged by a network.
[[nodiscard]] executor::NodeType upscaleModelNode(models::Stages& stages);

}  // namespace lowtide::nodes
