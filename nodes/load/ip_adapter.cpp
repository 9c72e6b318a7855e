#include "nodes/load/load_nodes.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

NodeDesc describeLoadIpAdapter() {
    return {.id = "load.ip_adapter",
            .label = "Load IP-Adapter",
            .category = "Load",
            .tooltip =
                "Opens an IP-Adapter, which makes a denoiser follow pictures as it follows a "
                "text, and its image encoder. Only headers are read here.",
            .outputs = {{.id = "ip_adapter",
                         .label = "IP-Adapter",
                         .tooltip = "Both networks: connect it to Apply IP-Adapter.",
                         .type = "IP_ADAPTER"}},
            .params = {{.id = "adapter",
                        .label = "IP-Adapter",
                        .tooltip = "A file (.safetensors, .bin), relative to the graph or to a "
                                   "model folder: IP-Adapter, Plus or Plus Face.",
                        .kind = ParamKind::File,
                        .defaultValue = std::string()},
                       {.id = "image_encoder",
                        .label = "Image encoder",
                        .tooltip = "A CLIP vision tower, a file or a folder. Empty: the one in "
                                   "image_encoder beside the file or in clip_vision.",
                        .kind = ParamKind::File,
                        .defaultValue = std::string(),
                        .advanced = true}}};
}

memory::WireRef loadedIpAdapter(Stages& stages,
                                const executor::Params& params,
                                std::string_view graphFolder) {
    return stages.loadIpAdapter(
        {.adapter = params.text("adapter"), .imageEncoder = params.text("image_encoder")},
        graphFolder);
}

executor::WorkOutline outlineLoadIpAdapter(Stages& stages,
                                           const executor::OutlineContext& context) {
    return loadedOutline(stages,
                         "ip_adapter",
                         "IP_ADAPTER",
                         loadedIpAdapter(stages, context, context.graphFolder()));
}

void runLoadIpAdapter(Stages& stages, executor::Context& context) {
    context.output("ip_adapter", loadedIpAdapter(stages, context, context.graphFolder()));
}

}  // namespace

executor::NodeType loadIpAdapterNode(Stages& stages) {
    return stageNode(
        stages, describeLoadIpAdapter(), outlineLoadIpAdapter, runLoadIpAdapter, "ip adapter");
}

}  // namespace lowtide::nodes
