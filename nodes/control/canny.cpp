#include "plugin/image/canny.hpp"

#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/image_pixels.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <string>
#include <vector>

namespace lowtide::nodes {

namespace {

/// The edges of images, white on black.
struct CannyAsked {
    WireRef image;
    int64_t low = 100;  ///< gradients, 0 to 2040, as image::cannyEdges() has them
    int64_t high = 200;
};

void checkCanny(const CannyAsked& asked) {
    requireThat(asked.low <= asked.high,
                message("low is {} and high is {}", asked.low, asked.high),
                message("choose a low threshold below the high one"),
                "low");
}

/// Of one image [1, 3, H, W]: [1, 1, H, W], on its device.
at::Tensor edgesOf(const at::Tensor& pixels, const CannyAsked& asked) {
    if (pixels.is_meta()) {
        (void)tensor::image8Tensor(pixels);
        return tensor::uploadInDryRun({1, 1, pixels.size(2), pixels.size(3)}, at::kFloat);
    }
    const Image8 edges = image::cannyEdges(tensor::image8(pixels).front(),
                                           static_cast<double>(asked.low),
                                           static_cast<double>(asked.high));
    return tensor::upload(tensor::planeOf(edges), pixels.device());
}

std::vector<WireRef> cannyStage(models::StageContext& context,
                                const CannyAsked& asked,
                                const StageCall& call) {
    const tensor::Images& given = imagesIn(asked.image);
    checkCanny(asked);
    const at::Tensor& pixels = given.pixels();
    at::Tensor result = at::empty_like(pixels);
    for (int64_t i = 0; i < pixels.size(0); ++i) {
        call.stop.throwIfStopped();
        result.narrow(0, i, 1).copy_(edgesOf(pixels.narrow(0, i, 1), asked));
    }
    context.record.put("canny_out", result);
    return {std::make_shared<const tensor::Images>(std::move(result), given.provenance())};
}

StageShapes cannyShapes(const CannyAsked& asked, StageFacts&) {
    checkCanny(asked);
    return {.outputs = {outputOf("IMAGE", shapeOf(asked.image))}};
}

ParamDesc thresholdParam(const char* id, const char* label, const char* tooltip) {
    return {.id = id,
            .label = label,
            .tooltip = tooltip,
            .unit = "levels",
            .min = 0,
            .max = 2040,
            .softMin = 0,
            .softMax = 255,
            .step = 1};
}

std::vector<Field<CannyAsked>> cannyFields() {
    return {input(&CannyAsked::image, {"image", "Image", "The images.", "IMAGE"}),
            param(&CannyAsked::low,
                  thresholdParam(
                      "low", "Low threshold", "Weaker edges end here: what is below is none.")),
            param(&CannyAsked::high,
                  thresholdParam(
                      "high", "High threshold", "Edges begin where they are stronger than this."))};
}

}  // namespace

executor::NodeType cannyNode(Stages& stages) {
    return nodeOf<CannyAsked>(
        stages,
        {.desc = {.id = "control.canny",
                  .label = "Canny edges",
                  .category = "ControlNet",
                  .tooltip =
                      "Draws the edges of an image, white on black: a hint for a ControlNet.",
                  .outputs = {{.id = "image",
                               .label = "Edges",
                               .tooltip =
                                   "As large as the images: connect them to Apply ControlNet.",
                               .type = "IMAGE"}}},
         .fields = cannyFields(),
         .stage = {.name = "canny", .shape = cannyShapes, .run = cannyStage}});
}

}  // namespace lowtide::nodes
