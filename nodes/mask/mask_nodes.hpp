#pragma once

#include "plugin/executor/node.hpp"

namespace lowtide::nodes {
class Stages;
}

namespace lowtide::nodes {

/// "mask.from_image": what a picture shows as a mask.
[[nodiscard]] executor::NodeType maskFromImageNode(Stages& stages);
/// "mask.grow": masks larger, smaller, softer.
[[nodiscard]] executor::NodeType growMaskNode(Stages& stages);

}  // namespace lowtide::nodes
