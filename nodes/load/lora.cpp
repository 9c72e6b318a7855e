#include "nodes/load/load_nodes.hpp"
#include "nodes/load/lora_params.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

NodeDesc describeLoadLora() {
    return {.id = "load.lora",
            .label = "Load LoRA",
            .category = "Load",
            .tooltip =
                "Changes a model by a LoRA or one of its kin (LoCon, LoHa, LoKr, DoRA, IA3, "
                "full differences). Only the header is read here.",
            .aliases = {"LoraLoader", "LoraLoaderModelOnly"},
            .inputs = changedModelInput(),
            .outputs = changedModelOutput(),
            .params = loraParams()};
}

executor::WorkOutline outlineLoadLora(models::Stages& stages,
                                      const executor::OutlineContext& context) {
    const executor::ValueOutline* model = context.input("model");
    return changedModelOutline(
        stages, withLora(stages, context, model ? model->value : nullptr, context.graphFolder()));
}

void runLoadLora(models::Stages& stages, executor::Context& context) {
    context.output("model",
                   withLora(stages, context, context.input("model"), context.graphFolder()).model);
}

}  // namespace

executor::NodeType loadLoraNode(models::Stages& stages) {
    executor::NodeType type =
        stageNode(stages, describeLoadLora(), outlineLoadLora, runLoadLora, "adapter load");
    type.collectAtRelease = "adapter unload";
    return type;
}

}  // namespace lowtide::nodes
