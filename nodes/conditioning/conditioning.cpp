#include "nodes/conditioning/conditioning_nodes.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

constexpr const char* kConditioningPort = "conditioning";

PortDesc conditioningPort(std::string id, std::string label, std::string tooltip) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .type = "CONDITIONING"};
}

}  // namespace

std::vector<PortDesc> joinedInputs(std::string firstTooltip, std::string secondTooltip) {
    return {conditioningPort("first", "First", std::move(firstTooltip)),
            conditioningPort("second", "Second", std::move(secondTooltip))};
}

std::vector<PortDesc> restrictedInputs() {
    return {conditioningPort(
        "conditioning", "Conditioning", "All prompts in it are restricted alike.")};
}

std::vector<PortDesc> conditioningOutputs() {
    return {conditioningPort(kConditioningPort, "Conditioning", "What the denoiser follows.")};
}

executor::NodeType conditioningNode(Stages& stages, NodeDesc desc, EditOf editOf) {
    const std::vector<PortDesc> ports = desc.inputs;
    return stageNode<ConditioningEdit>(
        stages, std::move(desc), [ports, editOf](const auto& params, const WireAt& wire) {
            ConditioningEdit edit = editOf(params);
            edit.first = wire(ports.front().id);
            edit.second = ports.size() > 1 ? wire(ports[1].id) : nullptr;
            return edit;
        });
}

std::vector<executor::NodeType> conditioning(Stages& stages) {
    return {combineNode(stages),
            concatNode(stages),
            averageNode(stages),
            areaNode(stages),
            timeRangeNode(stages)};
}

}  // namespace lowtide::nodes
