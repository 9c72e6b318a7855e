#include "plugin/nn/stage_context.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/memory/component_tree.hpp"

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

namespace {

constexpr int kDigits = 3;  ///< of Recorder::putNext

[[noreturn]] void refuseRecord(const Message& problem) {
    throw Error(ErrorKind::InvalidInput,
                problem,
                message("record a run of this graph: lowtide run GRAPH --dump FILE.safetensors"));
}

}  // namespace

std::shared_ptr<const sampling::RecordedRun> recordedRunOf(const tensor::RecordedTensors& recorded,
                                                           const std::string& node) {
    const auto find = [&](const std::string& prefix, const char* name, size_t call) {
        return recorded.find(prefix + name + zeroPadded(call, kDigits));
    };
    // The first node that samples has keys without a prefix, all others have their own.
    const std::string own = node + "/";
    const std::string prefix = find(own, "model_in.", 0) == recorded.end() ? "" : own;
    auto forward = std::make_shared<sampling::RecordedRun>();
    for (;;) {
        const auto input = find(prefix, "model_in.", forward->size());
        const auto output = find(prefix, "model_out.", forward->size());
        if (input == recorded.end() || output == recorded.end()) {
            break;
        }
        if (output->second.scalar_type() != at::kFloat) {
            refuseRecord(message("the recorded outputs of the network are no f32 numbers"));
        }
        forward->push_back({.input = input->second, .output = output->second});
    }
    if (forward->empty()) {
        refuseRecord(message("the recorded run has no calls of a network in node {}", node));
    }
    return forward;
}

}  // namespace lowtide::models
