#include "nodes/load/loader.hpp"

namespace lowtide::nodes {

executor::NodeType loadIpAdapterNode(Stages& stages) {
    using Asked = IpAdapterRequest;
    return nodeOf<Asked>(
        stages,
        Loader<Asked>{
            .desc = {.id = "load.ip_adapter",
                     .label = "Load IP-Adapter",
                     .category = "Load",
                     .tooltip =
                         "Opens an IP-Adapter, which makes a denoiser follow images as it "
                         "follows a text, and its image encoder. Only headers are read here.",
                     .outputs = {{.id = "ip_adapter",
                                  .label = "IP-Adapter",
                                  .tooltip = "Both networks: connect it to Apply IP-Adapter.",
                                  .type = "IP_ADAPTER"}}},
            .fields = {param(&Asked::adapter,
                             {.id = "adapter",
                              .label = "IP-Adapter",
                              .tooltip = "A file (.safetensors, .bin), relative to the graph or to "
                                         "a model folder: IP-Adapter, Plus or Plus Face.",
                              .kind = ParamKind::File}),
                       param(&Asked::imageEncoder,
                             {.id = "image_encoder",
                              .label = "Image encoder",
                              .tooltip = "A CLIP vision tower, a file or a folder. Empty: the one "
                                         "in image_encoder next to the file or in clip_vision.",
                              .kind = ParamKind::File,
                              .advanced = true})},
            .open =
                [](Stages& own, const Asked& asked, std::string_view graphFolder) {
                    return LoadedModel{.model = own.loadIpAdapter(asked, graphFolder),
                                       .warnings = {}};
                },
            .collectAfter = "ip adapter"});
}

}  // namespace lowtide::nodes
