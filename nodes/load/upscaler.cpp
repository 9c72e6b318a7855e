#include "nodes/load/load_nodes.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

NodeDesc describeLoadUpscaler() {
    return {.id = "load.upscaler",
            .label = "Load upscaler",
            .category = "Load",
            .tooltip =
                "Opens a network that enlarges pictures. Only its header is read here; "
                "weights move when a stage uses them.",
            .outputs = {{.id = "upscaler",
                         .label = "Upscaler",
                         .tooltip = "The network.",
                         .type = "UPSCALER"}},
            .params = {{.id = "upscaler",
                        .label = "Upscaler",
                        .tooltip =
                            "An ESRGAN or Real-ESRGAN file (.safetensors, .pth), relative to the "
                            "graph or to a model folder.",
                        .kind = ParamKind::File,
                        .defaultValue = std::string()}}};
}

memory::WireRef loadedUpscaler(Stages& stages,
                               const executor::Params& params,
                               std::string_view graphFolder) {
    return stages.loadUpscaler(params.text("upscaler"), graphFolder);
}

executor::WorkOutline outlineLoadUpscaler(Stages& stages, const executor::OutlineContext& context) {
    return loadedOutline(
        stages, "upscaler", "UPSCALER", loadedUpscaler(stages, context, context.graphFolder()));
}

void runLoadUpscaler(Stages& stages, executor::Context& context) {
    context.output("upscaler", loadedUpscaler(stages, context, context.graphFolder()));
}

}  // namespace

executor::NodeType loadUpscalerNode(Stages& stages) {
    return stageNode(stages, describeLoadUpscaler(), outlineLoadUpscaler, runLoadUpscaler);
}

}  // namespace lowtide::nodes
