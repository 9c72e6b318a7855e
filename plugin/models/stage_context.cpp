#include "plugin/models/stage_context.hpp"

#include "plugin/memory/component_tree.hpp"

#include <algorithm>

namespace lowtide::models {

const memory::ComponentTree& StageContext::treeOf(const memory::ComponentTree& network) const {
    const TypedNetwork* own = typedOf(network);
    return own ? *own->tree : network;
}

DType StageContext::computeOf(const memory::ComponentTree& network) const {
    const TypedNetwork* own = typedOf(network);
    return own ? own->compute : DType::F32;
}

const TypedNetwork* StageContext::typedOf(const memory::ComponentTree& network) const {
    const auto found = std::find_if(typed.begin(), typed.end(), [&](const TypedNetwork* one) {
        return one->tree->weightsId() == network.weightsId();
    });
    return found == typed.end() ? nullptr : *found;
}

}  // namespace lowtide::models
