#include "nodes/node_list.hpp"

#include "nodes/engine/stages.hpp"

#include <algorithm>
#include <iterator>

namespace lowtide::nodes {

#define LOWTIDE_ENTRY(name) std::vector<executor::NodeType> name(Stages& stages);
#include "node_list.inc"
#undef LOWTIDE_ENTRY

std::vector<executor::NodeType> makeNodeTypes(Stages& stages) {
    std::vector<executor::NodeType> types;
#define LOWTIDE_ENTRY(name) std::ranges::move(name(stages), std::back_inserter(types));
#include "node_list.inc"
#undef LOWTIDE_ENTRY
    std::ranges::sort(types, {}, [](const executor::NodeType& type) { return type.desc.id; });
    return types;
}

}  // namespace lowtide::nodes
