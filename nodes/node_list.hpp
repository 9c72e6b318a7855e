#pragma once

#include "plugin/executor/node.hpp"

#include <vector>

namespace lowtide::models {
class Stages;
}

namespace lowtide::nodes {

/// All node types, sorted by id. `stages` must outlive them.
[[nodiscard]] std::vector<executor::NodeType> makeNodeTypes(models::Stages& stages);

}  // namespace lowtide::nodes
