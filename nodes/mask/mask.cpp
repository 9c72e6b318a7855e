#include "nodes/mask/mask_nodes.hpp"

#include <vector>

namespace lowtide::nodes {

std::vector<executor::NodeType> mask(Stages& stages) {
    return {maskFromImageNode(stages), growMaskNode(stages)};
}

}  // namespace lowtide::nodes
