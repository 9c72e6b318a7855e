#include "nodes/upscale/upscale_nodes.hpp"

#include <vector>

namespace lowtide::nodes {

std::vector<executor::NodeType> upscale(Stages& stages) {
    return {upscaleImageNode(stages), upscaleModelNode(stages)};
}

}  // namespace lowtide::nodes
