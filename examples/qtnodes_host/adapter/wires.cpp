#include "examples/qtnodes_host/adapter/wires.hpp"

#include "plugin/graph/catalog.hpp"

#include <set>
#include <vector>

namespace lowtide::qtnodes_host {

namespace {

constexpr const char* kAnyType = "*";

}  // namespace

std::string typeOf(const Handle& output) {
    std::set<const NodeState*> seen;
    std::shared_ptr<const NodeState> node = output.node.lock();
    size_t port = output.output;
    while (node && port < node->desc().outputs.size() && seen.insert(node.get()).second) {
        const NodeDesc& desc = node->desc();
        if (desc.outputs[port].type != kAnyType) {
            return desc.outputs[port].type;
        }
        const PortDesc* passed = graph::passedInput(desc, desc.outputs[port].id);
        if (!passed) {
            break;
        }
        const auto input = static_cast<size_t>(passed - desc.inputs.data());
        port = node->sourceOutput(input);
        node = node->sourceNode(input);
    }
    return kAnyType;
}

bool isCompatible(const std::string& outputType, const std::string& inputType) {
    return outputType == kAnyType || inputType == kAnyType || outputType == inputType;
}

bool feeds(const NodeState& node, const NodeState& start) {
    std::set<const NodeState*> seen = {&start};
    std::vector<const NodeState*> open = {&start};
    while (!open.empty()) {
        const NodeState* at = open.back();
        open.pop_back();
        if (at == &node) {
            return true;
        }
        for (size_t i = 0; i < at->desc().inputs.size(); ++i) {
            const std::shared_ptr<const NodeState> source = at->sourceNode(i);
            if (source && seen.insert(source.get()).second) {
                open.push_back(source.get());
            }
        }
    }
    return false;
}

bool mayConnect(const Handle& output, const NodeState& to, size_t input) {
    const std::shared_ptr<const NodeState> from = output.node.lock();
    return from && output.output < from->desc().outputs.size() && input < to.desc().inputs.size() &&
           isCompatible(typeOf(output), to.desc().inputs[input].type) && !feeds(to, *from);
}

}  // namespace lowtide::qtnodes_host
