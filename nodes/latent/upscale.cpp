#include "nodes/latent/latent_nodes.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

constexpr const char* kBySize = "size";

ParamDesc upscaledSideParam(std::string id, std::string label, std::string tooltip) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .unit = "px",
            .kind = ParamKind::Int,
            .defaultValue = int64_t{0},
            .min = 0,
            .max = 16384,
            .softMin = 0,
            .softMax = 4096,
            .step = 8};
}

std::vector<ParamDesc> upscaleLatentParameters() {
    return {
        {.id = "method",
         .label = "Method",
         .tooltip = "How values between latent pixels are found.",
         .kind = ParamKind::Choice,
         .defaultValue = std::string("bislerp"),
         .choices = {{"nearest-exact", "Nearest"},
                     {"bilinear", "Bilinear"},
                     {"bicubic", "Bicubic"},
                     {"area", "Area"},
                     {"bislerp", "Bislerp"}}},
        {.id = "by",
         .label = "Size by",
         .tooltip = "How the size of the result is given.",
         .kind = ParamKind::Choice,
         .defaultValue = std::string("scale"),
         .choices = {{"scale", "Scale"}, {kBySize, "Width and height"}}},
        {.id = "scale",
         .label = "Scale",
         .tooltip = "Factor of both sides; the result is rounded to whole latent pixels.",
         .unit = "x",
         .kind = ParamKind::Float,
         .defaultValue = 2.0,
         .min = 0.01,
         .max = 8,
         .softMin = 0.25,
         .softMax = 4,
         .step = 0.25},
        upscaledSideParam(
            "width",
            "Width",
            "Of the picture, a multiple of the autoencoder's factor, mostly 8; 0 follows from the "
            "height."),
        upscaledSideParam(
            "height", "Height", "Of the picture, as the width; 0 follows from the width.")};
}

NodeDesc describeUpscaleLatent() {
    return {.id = "latent.upscale",
            .label = "Upscale latent",
            .category = "Latent",
            .tooltip = "Resizes a latent picture, to be denoised once more.",
            .inputs = {{.id = "latent",
                        .label = "Latent",
                        .tooltip = "A latent picture that a denoiser made.",
                        .type = "LATENT"},
                       {.id = "model",
                        .label = "Model",
                        .tooltip = "Needed for a width and height: its autoencoder says how many "
                                   "pixels a latent pixel stands for.",
                        .type = "MODEL",
                        .optional = true}},
            .outputs = {{.id = "latent",
                         .label = "Latent",
                         .tooltip = "The latent picture at its new size.",
                         .type = "LATENT"}},
            .params = upscaleLatentParameters()};
}

LatentUpscaleRequest upscaleLatentRequest(const executor::Params& params, const WireAt& wire) {
    LatentUpscaleRequest request{.latent = wire("latent"),
                                 .model = wire("model"),
                                 .method = params.text("method"),
                                 .scale = params.number("scale")};
    if (params.text("by") == kBySize) {
        request.size = {.width = params.integer("width"), .height = params.integer("height")};
    }
    return request;
}

}  // namespace

executor::NodeType upscaleLatentNode(Stages& stages) {
    return stageNode(stages, describeUpscaleLatent(), upscaleLatentRequest);
}

}  // namespace lowtide::nodes
