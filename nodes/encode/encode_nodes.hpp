#pragma once

#include "plugin/executor/node.hpp"

namespace lowtide::nodes {
class Stages;
}

namespace lowtide::nodes {

/// "encode.video_start": a video that begins with a picture.
[[nodiscard]] executor::NodeType videoStartNode(Stages& stages);

}  // namespace lowtide::nodes
