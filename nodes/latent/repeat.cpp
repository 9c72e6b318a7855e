#include "nodes/latent/latent_nodes.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

NodeDesc describeRepeatLatent() {
    return {.id = "latent.repeat",
            .label = "Repeat latent",
            .category = "Latent",
            .tooltip = "A latent several times, so that one picture gives a batch.",
            .inputs = {{.id = "latent",
                        .label = "Latent",
                        .tooltip = "An encoded picture, an empty latent, or a batch of them.",
                        .type = "LATENT"}},
            .outputs = {{.id = "latent",
                         .label = "Latent",
                         .tooltip = "All of them, one after the other, several times.",
                         .type = "LATENT"}},
            .params = {{.id = "count",
                        .label = "Count",
                        .tooltip = "How often; the denoiser says which seeds the pictures get.",
                        .unit = "times",
                        .kind = ParamKind::Int,
                        .defaultValue = int64_t{2},
                        .min = 1,
                        .max = 4096,
                        .softMin = 1,
                        .softMax = 16,
                        .step = 1}}};
}

LatentRepeatRequest repeatLatentRequest(const executor::Params& params, const WireAt& wire) {
    return {.latent = wire("latent"), .count = params.integer("count")};
}

}  // namespace

executor::NodeType repeatLatentNode(Stages& stages) {
    return stageNode(stages, describeRepeatLatent(), repeatLatentRequest);
}

}  // namespace lowtide::nodes
