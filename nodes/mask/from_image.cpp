#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/shared_params.hpp"
#include "plugin/nn/stage_context.hpp"

#include <ATen/ATen.h>

#include <vector>

namespace lowtide::nodes {

namespace {

/// What the channels of a pixel count.
struct Channel {
    double red;
    double green;
    double blue;

    bool operator==(const Channel&) const = default;
};

/// As Pillow's convert("L") has it (ITU-R 601-2).
constexpr Channel kBrightness = {0.299, 0.587, 0.114};

/// A mask of what images show.
struct MaskAsked {
    WireRef image;
    Channel channel = kBrightness;
    double threshold = 0.5;  ///< masked from here on; 0: in proportion to the level
    bool isInverted = false;
};

at::Tensor levels(const at::Tensor& pixels, const Channel& channel) {
    at::Tensor sum = pixels.narrow(1, 0, 1) * channel.red;
    sum.add_(pixels.narrow(1, 1, 1), channel.green);
    return sum.add_(pixels.narrow(1, 2, 1), channel.blue);
}

std::vector<WireRef> maskStage(models::StageContext& context,
                               const MaskAsked& asked,
                               const StageCall&) {
    at::Tensor mask = levels(imagesIn(asked.image).pixels(), asked.channel);
    if (asked.threshold > 0) {
        mask = mask.ge(asked.threshold).to(at::kFloat);
    }
    if (asked.isInverted) {
        mask.neg_().add_(1);
    }
    context.record.put("mask", mask);
    return {std::make_shared<const tensor::Masks>(std::move(mask))};
}

/// [B, 1, H, W] of images [B, 3, H, W].
StageShapes maskShapes(const MaskAsked& asked, StageFacts&) {
    const Shape image = shapeOf(asked.image);
    return {.outputs = {outputOf("MASK", {image[0], 1, image[2], image[3]})}};
}

std::vector<Field<MaskAsked>> maskFields() {
    return {
        input(&MaskAsked::image, {"image", "Image", "The images.", "IMAGE"}),
        choice(&MaskAsked::channel,
               {.id = "channel", .label = "Channel", .tooltip = "What decides how much is masked."},
               {{"brightness", "Brightness", kBrightness},
                {"red", "Red", {1, 0, 0}},
                {"green", "Green", {0, 1, 0}},
                {"blue", "Blue", {0, 0, 1}}}),
        param(
            &MaskAsked::threshold,
            fractionParam("threshold",
                          "Threshold",
                          "From this level on a pixel is masked; 0 masks each in proportion to its "
                          "level.")),
        param(&MaskAsked::isInverted,
              {.id = "invert",
               .label = "Invert",
               .tooltip = "On: dark is masked instead of bright."})};
}

}  // namespace

executor::NodeType maskFromImageNode(Stages& stages) {
    return nodeOf<MaskAsked>(
        stages,
        {.desc = {.id = "mask.from_image",
                  .label = "Mask from image",
                  .category = "Mask",
                  .tooltip =
                      "Makes a mask of what an image shows: bright is regenerated, dark is kept.",
                  .outputs = {{.id = "mask",
                               .label = "Mask",
                               .tooltip = "A mask for each image.",
                               .type = "MASK"}}},
         .fields = maskFields(),
         .stage = {.name = "mask", .shape = maskShapes, .run = maskStage}});
}

}  // namespace lowtide::nodes
