#pragma once

#include "plugin/executor/node.hpp"

namespace lowtide::nodes {
class Stages;
}

namespace lowtide::nodes {

/// "upscale.image": pictures at another size by a filter.
[[nodiscard]] executor::NodeType upscaleImageNode(Stages& stages);
/// "upscale.model": pictures enlarged by a network.
[[nodiscard]] executor::NodeType upscaleModelNode(Stages& stages);

}  // namespace lowtide::nodes
