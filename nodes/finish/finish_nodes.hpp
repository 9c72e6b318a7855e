#pragma once

#include "plugin/executor/node.hpp"

namespace lowtide::nodes {
class Stages;
}

namespace lowtide::nodes {

/// "finish.sharpen": pictures with stronger edges.
[[nodiscard]] executor::NodeType sharpenNode(Stages& stages);
/// "finish.match_colour": pictures in the colours of another.
[[nodiscard]] executor::NodeType matchColourNode(Stages& stages);
/// "finish.detail": pictures whose tiles were denoised a little.
[[nodiscard]] executor::NodeType detailNode(Stages& stages);

}  // namespace lowtide::nodes
