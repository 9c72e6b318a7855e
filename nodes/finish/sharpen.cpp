#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/image_filters.hpp"

namespace lowtide::nodes {

namespace {

/// Stronger edges, by an unsharp mask.
struct SharpenAsked {
    WireRef image;
    double radius = 2;     ///< standard deviation of the blur, in pixels
    double percent = 150;  ///< of the difference to the blurred image that is added
    double threshold = 3;  ///< levels of 255; smaller differences are left alone
};

void requireInRange(double value, double most, const char* item) {
    if (!(value >= 0 && value <= most)) {
        throw Error(ErrorKind::InvalidInput,
                    message("the {} is {}", item, formatNumber(value)),
                    message("choose a number from 0 to {}", formatNumber(most)),
                    item);
    }
}

void checkSharpen(const SharpenAsked& asked) {
    requireInRange(asked.radius, 100, "radius");
    requireInRange(asked.percent, 1000, "percent");
    requireInRange(asked.threshold, 255, "threshold");
}

std::vector<WireRef> sharpenStage(models::StageContext& context,
                                  const SharpenAsked& asked,
                                  const StageCall&) {
    checkSharpen(asked);
    const tensor::Images& given = imagesIn(asked.image);
    context.record.put("sharpen_in", given.pixels());
    at::Tensor result = tensor::sharpened(
        given.pixels(),
        {.radius = asked.radius, .percent = asked.percent, .threshold = asked.threshold});
    context.record.put("sharpen_out", result);
    tensor::Provenance provenance = given.provenance();
    if (!provenance.fields.empty()) {
        provenance.set("Sharpen",
                       "radius " + formatNumber(asked.radius) + ", percent " +
                           formatNumber(asked.percent) + ", threshold " +
                           formatNumber(asked.threshold));
    }
    return {std::make_shared<const tensor::Images>(std::move(result), std::move(provenance))};
}

StageShapes sharpenShapes(const SharpenAsked& asked, StageFacts&) {
    checkSharpen(asked);
    return {.outputs = {outputOf("IMAGE", shapeOf(asked.image))}};
}

std::vector<Field<SharpenAsked>> sharpenFields() {
    return {input(&SharpenAsked::image, {"image", "Image", "The images.", "IMAGE"}),
            param(&SharpenAsked::radius,
                  {.id = "radius",
                   .label = "Radius",
                   .tooltip = "How far edges reach: the standard deviation of the blur that is "
                              "taken away.",
                   .unit = "px",
                   .min = 0,
                   .max = 100,
                   .softMin = 0,
                   .softMax = 10,
                   .step = 0.5}),
            param(&SharpenAsked::percent,
                  {.id = "percent",
                   .label = "Percent",
                   .tooltip = "How strongly: the percentage of the difference to the blurred image "
                              "that is added.",
                   .unit = "%",
                   .min = 0,
                   .max = 1000,
                   .softMin = 0,
                   .softMax = 300,
                   .step = 10}),
            param(&SharpenAsked::threshold,
                  {.id = "threshold",
                   .label = "Threshold",
                   .tooltip = "Differences of at most so many levels (of 255) are left alone, so "
                              "that noise in even areas remains as it is.",
                   .min = 0,
                   .max = 255,
                   .softMin = 0,
                   .softMax = 20,
                   .step = 1})};
}

}  // namespace

executor::NodeType sharpenNode(Stages& stages) {
    return nodeOf<SharpenAsked>(
        stages,
        {.desc = {.id = "finish.sharpen",
                  .label = "Sharpen",
                  .category = "Finish",
                  .tooltip = "Makes edges stronger, with an unsharp mask.",
                  .outputs = {{.id = "image",
                               .label = "Image",
                               .tooltip = "The sharper images.",
                               .type = "IMAGE"}}},
         .fields = sharpenFields(),
         .stage = {.name = "sharpen", .shape = sharpenShapes, .run = sharpenStage}});
}

}  // namespace lowtide::nodes
