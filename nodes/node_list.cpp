#include "nodes/node_list.hpp"

#include <algorithm>

namespace lowtide::nodes {

// The build determines which list: a test program has one of its own (tests/unit/nodes).
#define LOWTIDE_NODE(name) executor::NodeType name(Stages& stages);
#include LOWTIDE_NODE_LIST
#undef LOWTIDE_NODE

std::vector<executor::NodeType> makeNodeTypes(Stages& stages) {
    std::vector<executor::NodeType> types;
#define LOWTIDE_NODE(name) types.push_back(name(stages));
#include LOWTIDE_NODE_LIST
#undef LOWTIDE_NODE
    std::ranges::sort(types, {}, [](const executor::NodeType& type) { return type.desc.id; });
    return types;
}

}  // namespace lowtide::nodes
