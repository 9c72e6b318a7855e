#include "nodes/stage_call.hpp"

#include <cmath>

namespace lowtide::nodes {

namespace {

NodeDesc describe() {
    return {
        .id = "upscale.image",
        .label = "Upscale image",
        .category = "Upscale",
        .tooltip = "Resizes pictures by a factor with a classic filter, without a network.",
        .aliases = {"ImageScaleBy"},
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

executor::WorkOutline outline(const executor::OutlineContext& context) {
    Shape shape = context.input("image")->shape;
    const double scale = context.number("scale");
    for (size_t axis = 2; axis < shape.size(); ++axis) {
        shape[axis] = std::max<int64_t>(1, std::llround(static_cast<double>(shape[axis]) * scale));
    }
    return {.outputs = {{"image", {.type = "IMAGE", .shape = std::move(shape)}}}};
}

}  // namespace

std::vector<executor::NodeType> upscale(models::Stages& stages) {
    return {{.desc = describe(), .outline = outline, .run = [&stages](executor::Context& context) {
                 context.output("image",
                                stages.upscaleImage({.image = context.input("image"),
                                                     .method = context.text("method"),
                                                     .scale = context.number("scale")},
                                                    stageCall(context)));
             }}};
}

}  // namespace lowtide::nodes
