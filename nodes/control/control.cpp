#include "nodes/control/control_nodes.hpp"

namespace lowtide::nodes {

std::vector<executor::NodeType> control(Stages& stages) {
    return {applyControlNode(stages),
            applyIpAdapterNode(stages),
            cannyNode(stages),
            offloadNode(stages),
            collectNode(),
            resultCacheNode()};
}

}  // namespace lowtide::nodes
