#include "plugin/nn/stage_context.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/result_checks.hpp"

namespace lowtide::models {

const memory::ComponentTree& StageContext::treeOf(const memory::ComponentTree& network) const {
    const TypedNetwork* own = typedOf(network);
    return own ? *own->tree : network;
}

DType StageContext::computeOf(const memory::ComponentTree& network) const {
    const TypedNetwork* own = typedOf(network);
    return own ? own->compute : DType::F32;
}

memory::SwitchStates StageContext::switchesOf(const memory::ComponentTree& network) const {
    const TypedNetwork* own = typedOf(network);
    return own ? own->switches : memory::SwitchStates{};
}

void noteFinite(StageContext& context,
                const memory::ComponentTree& network,
                const at::Tensor& result) {
    if (context.finite) {
        context.finite->note(network, result, {});
    }
}

void requireFinite(StageContext& context, const at::Tensor& result) {
    if (context.finite) {
        context.finite->look(std::span(&result, 1));
    }
}

const TypedNetwork* StageContext::typedOf(const memory::ComponentTree& network) const {
    const auto found = typed.find(network.networkId());
    return found == typed.end() ? nullptr : &found->second;
}

}  // namespace lowtide::models
