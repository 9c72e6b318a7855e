#pragma once

#include "plugin/executor/node.hpp"

namespace lowtide::nodes {
class Stages;
}

namespace lowtide::nodes {

/// "image.fit": pictures at a size that a model takes.
[[nodiscard]] executor::NodeType fitImageNode(Stages& stages);
/// "image.composite": a picture laid on another one.
[[nodiscard]] executor::NodeType compositeImageNode(Stages& stages);

}  // namespace lowtide::nodes
