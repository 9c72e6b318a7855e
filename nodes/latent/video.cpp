#include "nodes/latent/latent_nodes.hpp"
#include "nodes/shared_params.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

NodeDesc describeEmptyVideo() {
    return {
        .id = "latent.video",
        .label = "Empty video",
        .category = "Latent",
        .tooltip = "The size and length of the video to make; the denoiser fills it with noise.",
        .outputs = {{.id = "latent",
                     .label = "Latent",
                     .tooltip = "An empty latent of a video.",
                     .type = "LATENT"}},
        .params = videoParams()};
}

EmptyLatentRequest emptyVideoRequest(const executor::Params& params, const WireAt&) {
    return {.widthPixels = params.integer("width"),
            .heightPixels = params.integer("height"),
            .frames = params.integer("frames"),
            .rate = params.number("rate")};
}

}  // namespace

executor::NodeType emptyVideoNode(Stages& stages) {
    return stageNode(stages, describeEmptyVideo(), emptyVideoRequest);
}

}  // namespace lowtide::nodes
