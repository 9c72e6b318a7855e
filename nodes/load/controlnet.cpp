#include "nodes/load/loader.hpp"

namespace lowtide::nodes {

namespace {

struct LoadControlNetAsked {
    std::string controlnet;
};

}  // namespace

executor::NodeType loadControlNetNode(Stages& stages) {
    using Asked = LoadControlNetAsked;
    return nodeOf<Asked>(
        stages,
        Loader<Asked>{
            .desc = {.id = "load.controlnet",
                     .label = "Load ControlNet",
                     .category = "Load",
                     .tooltip =
                         "Opens a network that makes a denoiser follow a hint image. Only its "
                         "header is read here; weights move when a stage uses them.",
                     .outputs = {{.id = "controlnet",
                                  .label = "ControlNet",
                                  .tooltip = "The network: connect it to Apply ControlNet.",
                                  .type = "CONTROLNET"}}},
            .fields = {param(&Asked::controlnet,
                             {.id = "controlnet",
                              .label = "ControlNet",
                              .tooltip = "A file (.safetensors, .pth) or a folder in the diffusers "
                                         "layout, relative to the graph or to a model folder.",
                              .kind = ParamKind::File})},
            .open =
                [](Stages& own, const Asked& asked, std::string_view graphFolder) {
                    return LoadedModel{.model = own.loadControlNet(asked.controlnet, graphFolder),
                                       .warnings = {}};
                },
            .isOnHost = true,  // so are the hints that it is joined with
            .collectAfter = "controlnet"});
}

}  // namespace lowtide::nodes
