#include "nodes/load/loader.hpp"

namespace lowtide::nodes {

namespace {

struct LoadUpscalerAsked {
    std::string upscaler;
};

}  // namespace

executor::NodeType loadUpscalerNode(Stages& stages) {
    using Asked = LoadUpscalerAsked;
    return nodeOf<Asked>(
        stages,
        Loader<Asked>{
            .desc = {.id = "load.upscaler",
                     .label = "Load upscaler",
                     .category = "Load",
                     .tooltip =
                         "Opens a network that enlarges images. Only its header is read here; "
                         "weights move when a stage uses them.",
                     .outputs = {{.id = "upscaler",
                                  .label = "Upscaler",
                                  .tooltip = "The network.",
                                  .type = "UPSCALER"}}},
            .fields = {param(&Asked::upscaler,
                             {.id = "upscaler",
                              .label = "Upscaler",
                              .tooltip = "An ESRGAN or Real-ESRGAN file (.safetensors, .pth), "
                                         "relative to the graph or to a model folder.",
                              .kind = ParamKind::File})},
            .open = [](Stages& own, const Asked& asked, std::string_view graphFolder) {
                return LoadedModel{.model = own.loadUpscaler(asked.upscaler, graphFolder),
                                   .warnings = {}};
            }});
}

}  // namespace lowtide::nodes
