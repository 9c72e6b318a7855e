#include "nodes/image/image_nodes.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

ParamDesc fitSideParam(std::string id, std::string label, std::string tooltip) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .unit = "px",
            .kind = ParamKind::Int,
            .defaultValue = int64_t{0},
            .min = 0,
            .max = 65536,
            .softMin = 0,
            .softMax = 2048,
            .step = 8};
}

std::vector<ParamDesc> fitParameters() {
    return {
        fitSideParam(
            "width", "Width", "Of the result; 0 follows from the height, or is the picture's own."),
        fitSideParam("height",
                     "Height",
                     "Of the result; 0 follows from the width, or is the picture's own."),
        {.id = "mode",
         .label = "Mode",
         .tooltip = "What happens to a picture of another shape.",
         .kind = ParamKind::Choice,
         .defaultValue = std::string("crop"),
         .choices = {{"crop", "Crop"}, {"pad", "Pad"}, {"stretch", "Stretch"}}},
        {.id = "multiple",
         .label = "Multiple of",
         .tooltip = "Both sides become multiples of it, and of what a connected model wants.",
         .unit = "px",
         .kind = ParamKind::Int,
         .defaultValue = int64_t{8},
         .min = 1,
         .max = 4096,
         .softMin = 1,
         .softMax = 64,
         .step = 8},
        {.id = "method",
         .label = "Method",
         .tooltip = "How pixels are found between pixels.",
         .kind = ParamKind::Choice,
         .defaultValue = std::string("lanczos"),
         .choices = {{"lanczos", "Lanczos"}, {"bicubic", "Bicubic"}, {"area", "Area"}}},
        {.id = "fill",
         .label = "Fill",
         .tooltip = "What is laid around a padded picture.",
         .kind = ParamKind::Choice,
         .defaultValue = std::string("grey"),
         .choices = {{"grey", "Grey"},
                     {"black", "Black"},
                     {"white", "White"},
                     {"edge", "Edge of the picture"}}}};
}

NodeDesc describeFit() {
    return {
        .id = "image.fit",
        .label = "Fit image",
        .category = "Image",
        .tooltip = "Crops, pads or stretches pictures to a size that a model takes.",
        .inputs = {{.id = "image", .label = "Image", .tooltip = "The pictures.", .type = "IMAGE"},
                   {.id = "mask",
                    .label = "Mask",
                    .tooltip = "Goes the same way as the pictures.",
                    .type = "MASK",
                    .optional = true},
                   {.id = "model",
                    .label = "Model",
                    .tooltip = "Sides become multiples of what its autoencoder wants.",
                    .type = "MODEL",
                    .optional = true}},
        .outputs = {{.id = "image",
                     .label = "Image",
                     .tooltip = "The pictures at their new size.",
                     .type = "IMAGE"},
                    {.id = "mask",
                     .label = "Mask",
                     .tooltip = "The mask at its new size; what was padded is masked.",
                     .type = "MASK"}},
        .params = fitParameters()};
}

FitRequest fitRequest(const executor::Params& params, const WireAt& wire) {
    return {.image = wire("image"),
            .mask = wire("mask"),
            .model = wire("model"),
            .size = {.width = params.integer("width"), .height = params.integer("height")},
            .multiple = params.integer("multiple"),
            .mode = params.text("mode"),
            .method = params.text("method"),
            .fill = params.text("fill")};
}

}  // namespace

executor::NodeType fitImageNode(Stages& stages) {
    return stageNode(stages, describeFit(), fitRequest);
}

}  // namespace lowtide::nodes
