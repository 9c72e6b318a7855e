#pragma once

#include "plugin/executor/node.hpp"

namespace lowtide::models {
class Stages;
}

namespace lowtide::nodes {

/// "image.fit": pictures at a size that a model takes.
[[nodiscard]] executor::NodeType fitImageNode(models::Stages& stages);
/// "image.composite": a picture laid on another one.
[[nodiscard]] executor::NodeType compositeImageNode(models::Stages& stages);

}  // namespace lowtide::nodes
