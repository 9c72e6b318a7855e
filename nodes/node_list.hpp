#pragma once

#include "plugin/executor/node.hpp"

#include <vector>

namespace lowtide::nodes {

class Stages;

/// All node types, sorted by id. `stages` must outlive them.
[[nodiscard]] std::vector<executor::NodeType> makeNodeTypes(Stages& stages);

}  // namespace lowtide::nodes
