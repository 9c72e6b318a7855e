#include "nodes/encode/encode_nodes.hpp"
#include "nodes/shared_params.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

std::vector<ParamDesc> videoStartParams() {
    std::vector<ParamDesc> params = videoParams();
    params.push_back(choiceParam("fit",
                                 "Fit",
                                 "How a picture of another shape becomes a frame: its middle cut "
                                 "out, grey around it, or stretched.",
                                 {{"crop", "Crop"}, {"pad", "Pad"}, {"stretch", "Stretch"}}));
    params.push_back(
        tileParam("Side of the tiles to encode one after the other, with blended "
                  "seams; 0 encodes whole frames. Saves memory and changes pixels."));
    return params;
}

NodeDesc describeVideoStart() {
    return {.id = "encode.video_start",
            .label = "Video from image",
            .category = "Encode",
            .tooltip =
                "The size and length of a video to make, and the picture that it begins "
                "with, as the model reads it.",
            .components = {"image_encoder", "autoencoder"},
            .inputs = {{.id = "model",
                        .label = "Model",
                        .tooltip = "Its image encoder and its autoencoder are used.",
                        .type = "MODEL"},
                       {.id = "image",
                        .label = "First image",
                        .tooltip = "The first frame.",
                        .type = "IMAGE"},
                       {.id = "last",
                        .label = "Last image",
                        .tooltip = "The last frame, for a checkpoint that takes one.",
                        .type = "IMAGE",
                        .optional = true}},
            .outputs = {{.id = "latent",
                         .label = "Latent",
                         .tooltip = "An empty latent with what the model is told of the pictures.",
                         .type = "LATENT"}},
            .params = videoStartParams()};
}

VideoStartRequest videoStartRequest(const executor::Params& params, const WireAt& wire) {
    return {.model = wire("model"),
            .image = wire("image"),
            .last = wire("last"),
            .widthPixels = params.integer("width"),
            .heightPixels = params.integer("height"),
            .frames = params.integer("frames"),
            .rate = params.number("rate"),
            .fit = params.text("fit"),
            .tilePixels = params.integer("tile"),
            .precision = params.precision()};
}

}  // namespace

executor::NodeType videoStartNode(Stages& stages) {
    return stageNode(stages, describeVideoStart(), videoStartRequest, "video start");
}

}  // namespace lowtide::nodes
