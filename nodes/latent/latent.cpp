#include "nodes/latent/latent_nodes.hpp"

#include <vector>

namespace lowtide::nodes {

std::vector<executor::NodeType> latent(Stages& stages) {
    return {emptyLatentNode(stages),
            emptyVideoNode(stages),
            repeatLatentNode(stages),
            upscaleLatentNode(stages)};
}

}  // namespace lowtide::nodes
