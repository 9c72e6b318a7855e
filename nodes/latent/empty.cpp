#include "nodes/latent/latent_nodes.hpp"
#include "nodes/shared_params.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

constexpr const char* kSideTooltip =
    "Size of the picture. Must be a multiple of the autoencoder's factor, mostly 8.";

NodeDesc describeEmptyLatent() {
    return {.id = "latent.empty",
            .label = "Empty latent",
            .category = "Latent",
            .tooltip =
                "The size of the pictures to make and how many of them; the denoiser fills it with "
                "noise.",
            .outputs = {{.id = "latent",
                         .label = "Latent",
                         .tooltip = "An empty latent.",
                         .type = "LATENT"}},
            .params = {emptySideParam("width", "Width", kSideTooltip, 512),
                       emptySideParam("height", "Height", kSideTooltip, 512),
                       {.id = "batch",
                        .label = "Batch",
                        .tooltip = "Pictures made at once; Denoise decides which seeds they get.",
                        .unit = "pictures",
                        .kind = ParamKind::Int,
                        .defaultValue = int64_t{1},
                        .min = 1,
                        .max = 4096,
                        .softMin = 1,
                        .softMax = 16,
                        .step = 1}}};
}

EmptyLatentRequest emptyLatentRequest(const executor::Params& params, const WireAt&) {
    return {.widthPixels = params.integer("width"),
            .heightPixels = params.integer("height"),
            .batch = params.integer("batch")};
}

}  // namespace

executor::NodeType emptyLatentNode(Stages& stages) {
    return stageNode(stages, describeEmptyLatent(), emptyLatentRequest);
}

}  // namespace lowtide::nodes
