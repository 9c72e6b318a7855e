#include "nodes/shared_params.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

NodeDesc describeDecode() {
    return {
        .id = "decode.image",
        .label = "Decode image",
        .category = "Decode",
        .tooltip = "Turns a latent picture into pixels.",
        .components = {"autoencoder"},
        .inputs = {{.id = "model",
                    .label = "Model",
                    .tooltip = "Its autoencoder is used.",
                    .type = "MODEL"},
                   {.id = "latent",
                    .label = "Latent",
                    .tooltip = "The latent picture.",
                    .type = "LATENT"}},
        .outputs = {{.id = "image", .label = "Image", .tooltip = "The pictures.", .type = "IMAGE"}},
        .params = {
            tileParam("Side of the tiles to decode one after the other, with blended seams; 0 "
                      "decodes whole. Saves memory and changes pixels.")}};
}

DecodeRequest decodeRequest(const executor::Params& params, const WireAt& wire) {
    return {.model = wire("model"),
            .latent = wire("latent"),
            .tilePixels = params.integer("tile"),
            .precision = params.precision()};
}

}  // namespace

std::vector<executor::NodeType> decode(Stages& stages) {
    return {stageNode(stages, describeDecode(), decodeRequest, "decode")};
}

}  // namespace lowtide::nodes
