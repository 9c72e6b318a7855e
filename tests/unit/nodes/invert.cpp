// The node of docs/recipes/add_a_node.md: inverts images.

#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/shared_params.hpp"
#include "plugin/nn/stage_context.hpp"

#include <ATen/ATen.h>

namespace lowtide::nodes {

namespace {

enum class Inverted : uint8_t { All, Brightness };

struct InvertAsked {
    WireRef image;
    double strength = 1;  ///< fraction of the inverted image in the result
    Inverted what = Inverted::All;
};

/// [B, 3, H, W].
at::Tensor inverted(const at::Tensor& pixels, Inverted what) {
    if (what == Inverted::All) {
        return pixels.neg().add_(1);
    }
    // Every channel moves as far as their mean.
    at::Tensor change = pixels.narrow(1, 0, 1) + pixels.narrow(1, 1, 1);
    change.add_(pixels.narrow(1, 2, 1)).mul_(-2.0 / 3).add_(1);
    return (pixels + change).clamp_(0, 1);
}

StageShapes invertShapes(const InvertAsked& asked, StageFacts&) {
    return {.outputs = {outputOf("IMAGE", shapeOf(asked.image))}};
}

std::vector<WireRef> invertImages(models::StageContext& context,
                                  const InvertAsked& asked,
                                  const StageCall&) {
    const tensor::Images& given = imagesIn(asked.image);
    at::Tensor result =
        at::lerp(given.pixels(), inverted(given.pixels(), asked.what), asked.strength);
    context.record.put("invert_out", result);
    return {std::make_shared<const tensor::Images>(std::move(result), given.provenance())};
}

}  // namespace

executor::NodeType invertNode(Stages& stages) {
    using Asked = InvertAsked;
    return nodeOf<Asked>(
        stages,
        {.desc = {.id = "finish.invert",
                  .label = "Invert",
                  .category = "Finish",
                  .tooltip = "Makes bright dark and dark bright.",
                  .outputs = {{.id = "image",
                               .label = "Image",
                               .tooltip = "The inverted images.",
                               .type = "IMAGE"}}},
         .fields = {input(&Asked::image, {"image", "Image", "The images.", "IMAGE"}),
                    param(&Asked::strength,
                          fractionParam("strength",
                                        "Strength",
                                        "Fraction of the inverted image in the result.")),
                    choice(&Asked::what,
                           {.id = "what", .label = "What", .tooltip = "What is inverted."},
                           {{"all", "Every channel", Inverted::All},
                            {"brightness", "Brightness", Inverted::Brightness}})},
         .stage = {.name = "invert", .shape = invertShapes, .run = invertImages}});
}

}  // namespace lowtide::nodes
