#include "nodes/finish/finish_nodes.hpp"

#include <vector>

namespace lowtide::nodes {

std::vector<executor::NodeType> finish(Stages& stages) {
    return {sharpenNode(stages), matchColourNode(stages), detailNode(stages)};
}

}  // namespace lowtide::nodes
