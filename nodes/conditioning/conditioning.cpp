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

executor::WorkOutline outlineConditioning(models::Stages& stages,
                                          const NodeDesc& desc,
                                          const models::ConditioningEdit& edit,
                                          const executor::OutlineContext& context) {
    std::vector<models::ConditioningShape> inputs;
    for (const PortDesc& port : desc.inputs) {
        const executor::ValueOutline& value = *context.input(port.id);
        inputs.push_back({.shape = value.shape, .entries = value.value});
    }
    return workOutline(stages.outlineConditioning(inputs, edit), kConditioningPort);
}

void runConditioning(models::Stages& stages,
                     const NodeDesc& desc,
                     models::ConditioningEdit edit,
                     executor::Context& context) {
    edit.first = context.input(desc.inputs.front().id);
    if (desc.inputs.size() > 1) {
        edit.second = context.input(desc.inputs[1].id);
    }
    context.output(kConditioningPort, stages.editConditioning(edit, stageCall(context)));
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

executor::NodeType conditioningNode(models::Stages& stages, NodeDesc desc, EditOf editOf) {
    return {.desc = desc,
            .outline =
                [&stages, desc, editOf](const executor::OutlineContext& context) {
                    return outlineConditioning(stages, desc, editOf(context), context);
                },
            .run =
                [&stages, desc, editOf](executor::Context& context) {
                    runConditioning(stages, desc, editOf(context), context);
                },
            .collectAfter = {}};
}

std::vector<executor::NodeType> conditioning(models::Stages& stages) {
    return {combineNode(stages),
            concatNode(stages),
            averageNode(stages),
            areaNode(stages),
            timeRangeNode(stages)};
}

}  // namespace lowtide::nodes
