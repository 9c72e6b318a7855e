#include "nodes/load/load_nodes.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

NodeDesc describeLoadControlNet() {
    return {.id = "load.controlnet",
            .label = "Load ControlNet",
            .category = "Load",
            .tooltip =
                "Opens a network that makes a denoiser follow a hint picture. Only its header is "
                "read here; weights move when a stage uses them.",
            .outputs = {{.id = "controlnet",
                         .label = "ControlNet",
                         .tooltip = "The network: connect it to Apply ControlNet.",
                         .type = "CONTROLNET"}},
            .params = {{.id = "controlnet",
                        .label = "ControlNet",
                        .tooltip = "A file (.safetensors, .pth) or a folder in the diffusers "
                                   "layout, relative to the graph or to a model folder.",
                        .kind = ParamKind::File,
                        .defaultValue = std::string()}}};
}

memory::WireRef loadedControlNet(Stages& stages,
                                 const executor::Params& params,
                                 std::string_view graphFolder) {
    return stages.loadControlNet(params.text("controlnet"), graphFolder);
}

executor::WorkOutline outlineLoadControlNet(Stages& stages,
                                            const executor::OutlineContext& context) {
    executor::WorkOutline outline =
        loadedOutline(stages,
                      "controlnet",
                      "CONTROLNET",
                      loadedControlNet(stages, context, context.graphFolder()));
    outline.isOnHost = true;  // so are the hints that it is joined with
    return outline;
}

void runLoadControlNet(Stages& stages, executor::Context& context) {
    context.output("controlnet", loadedControlNet(stages, context, context.graphFolder()));
}

}  // namespace

executor::NodeType loadControlNetNode(Stages& stages) {
    return stageNode(
        stages, describeLoadControlNet(), outlineLoadControlNet, runLoadControlNet, "controlnet");
}

}  // namespace lowtide::nodes
