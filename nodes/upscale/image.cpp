#include "nodes/stage_call.hpp"
#include "nodes/upscale/upscale_nodes.hpp"

namespace lowtide::nodes {

namespace {

NodeDesc describeUpscaleImage() {
    return {
        .id = "upscale.image",
        .label = "Upscale image",
        .category = "Upscale",
        .tooltip = "Resizes pictures by a factor with a classic filter, without a network.",
        .inputs = {{.id = "image", .label = "Image", .tooltip = "The pictures.", .type = "IMAGE"}},
        .outputs = {{.id = "image",
                     .label = "Image",
                     .tooltip = "The resized pictures.",
                     .type = "IMAGE"}},
        .params = {{.id = "method",
                    .label = "Method",
                    .tooltip = "Lanczos is the sharpest, bicubic is smooth, area averages pixels.",
                    .kind = ParamKind::Choice,
                    .defaultValue = std::string("lanczos"),
                    .choices = {{"lanczos", "Lanczos"}, {"bicubic", "Bicubic"}, {"area", "Area"}}},
                   {.id = "scale",
                    .label = "Scale",
                    .tooltip = "Factor of both sides; the result is rounded to whole pixels.",
                    .unit = "x",
                    .kind = ParamKind::Float,
                    .defaultValue = 2.0,
                    .min = 0.01,
                    .max = 16,
                    .softMin = 0.25,
                    .softMax = 4,
                    .step = 0.25}}};
}

UpscaleRequest upscaleImageRequest(const executor::Params& params, const WireAt& wire) {
    return {
        .image = wire("image"), .method = params.text("method"), .scale = params.number("scale")};
}

}  // namespace

executor::NodeType upscaleImageNode(Stages& stages) {
    return stageNode(stages, describeUpscaleImage(), upscaleImageRequest, "upscale");
}

}  // namespace lowtide::nodes
