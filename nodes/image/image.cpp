#include "nodes/image/image_nodes.hpp"

#include <vector>

namespace lowtide::nodes {

std::vector<executor::NodeType> image(Stages& stages) {
    return {fitImageNode(stages), compositeImageNode(stages)};
}

}  // namespace lowtide::nodes
