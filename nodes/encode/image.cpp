#include "nodes/encode/encode_nodes.hpp"
#include "nodes/shared_params.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

std::vector<ParamDesc> encodeImageParameters() {
    return {tileParam("Side of the tiles to encode one after the other, with blended seams; 0 "
                      "encodes whole. Saves memory and changes pixels."),
            {.id = "sampling",
             .label = "Sampling",
             .tooltip = "What is taken of the many latents that a picture may have: a sample, "
                        "drawn by the denoiser with its seed, or their mean.",
             .kind = ParamKind::Choice,
             .defaultValue = std::string("sample"),
             .choices = {{"sample", "A sample, by the denoiser's seed"},
                         {"mean", "The mean, for every seed"}},
             .advanced = true}};
}

NodeDesc describeEncodeImage() {
    return {
        .id = "encode.image",
        .label = "Encode image",
        .category = "Encode",
        .tooltip = "Turns pixels into a latent picture for the denoiser to go on with.",
        .components = {"autoencoder"},
        .inputs = {{.id = "model",
                    .label = "Model",
                    .tooltip = "Its autoencoder is used.",
                    .type = "MODEL"},
                   {.id = "image", .label = "Image", .tooltip = "The pictures.", .type = "IMAGE"},
                   {.id = "mask",
                    .label = "Mask",
                    .tooltip = "What it covers is made grey first: the masked picture of a "
                               "checkpoint that fills masks.",
                    .type = "MASK",
                    .optional = true}},
        .outputs = {{.id = "latent",
                     .label = "Latent",
                     .tooltip = "The latent picture.",
                     .type = "LATENT"}},
        .params = encodeImageParameters()};
}

ImageEncodeRequest encodeImageRequest(const executor::Params& params, const WireAt& wire) {
    return {.model = wire("model"),
            .image = wire("image"),
            .mask = wire("mask"),
            .tilePixels = params.integer("tile"),
            .sampling = params.text("sampling"),
            .precision = params.precision()};
}

}  // namespace

std::vector<executor::NodeType> encode(Stages& stages) {
    return {stageNode(stages, describeEncodeImage(), encodeImageRequest, "image encode"),
            videoStartNode(stages)};
}

}  // namespace lowtide::nodes
