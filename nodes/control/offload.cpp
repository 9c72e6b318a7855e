#include "nodes/control/control_nodes.hpp"
#include "nodes/engine/node_def.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/plan.hpp"

namespace lowtide::nodes {

namespace {

constexpr const char* kAll = "all";

NodeDesc describeOffload(Stages& stages) {
    NodeDesc desc{
        .id = "control.offload",
        .label = "Offload",
        .category = "Control",
        .tooltip = "Makes networks leave the device when the value passes.",
        .control = true,
        .inputs = passingInputs(),
        .outputs = passingOutputs(),
        .params = {{.id = "component",
                    .label = "Component",
                    .tooltip = "The networks that leave.",
                    .kind = ParamKind::Choice,
                    .defaultValue = std::string(kAll),
                    .choices = stages.componentChoices()},
                   {.id = "mode",
                    .label = "Mode",
                    .tooltip = "Evict keeps the weights ready in host memory, drop closes their "
                               "files too.",
                    .kind = ParamKind::Choice,
                    .defaultValue = std::string("evict"),
                    .choices = {{"evict", "Evict"}, {"drop", "Drop"}}}}};
    desc.inputs.push_back(modelInput("Whose networks leave; not connected: those of every model."));
    return desc;
}

/// What Controls::offload takes: "all", a pattern of roles, or the ids of one model's networks.
std::vector<std::string> chosen(Stages& stages,
                                const std::string& component,
                                const memory::WireRef& model) {
    if (!model) {
        return {component};
    }
    std::vector<std::string> ids;
    for (const auto& tree : stages.components(model)) {
        if (memory::isNamed(*tree, component)) {
            ids.push_back(tree->id);
        }
    }
    return ids;
}

executor::NodeSpec specOfOffload(Stages& stages, const executor::SpecContext& context) {
    executor::NodeSpec work = passingSpec(context);
    const executor::ValueSpec* known = context.input("model");
    work.offloads =
        [&stages, component = context.text("component"), model = known ? known->value : nullptr] {
            return chosen(stages, component, model);
        };
    return work;
}

void runOffload(Stages& stages, executor::Context& context) {
    passOn(context);
    context.controls().offload(chosen(stages, context.text("component"), context.input("model")),
                               context.text("mode") == "drop");
}

}  // namespace

executor::NodeType offloadNode(Stages& stages) {
    return {.desc = describeOffload(stages),
            .spec = [&stages](const auto& context) { return specOfOffload(stages, context); },
            .run = [&stages](executor::Context& context) { runOffload(stages, context); }};
}

}  // namespace lowtide::nodes
