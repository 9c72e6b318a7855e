#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/picture_filters.hpp"

namespace lowtide::nodes {

namespace {

void requireInRange(double value, double most, const char* item) {
    if (!(value >= 0 && value <= most)) {
        throw Error(ErrorKind::InvalidInput,
                    "the " + std::string(item) + " is " + formatNumber(value),
                    "choose a number from 0 to " + formatNumber(most),
                    item);
    }
}

void checkSharpen(const SharpenRequest& settings) {
    requireInRange(settings.radius, 100, "radius");
    requireInRange(settings.percent, 1000, "percent");
    requireInRange(settings.threshold, 255, "threshold");
}

std::vector<WireRef> sharpenStage(models::StageContext& context,
                                  const SharpenRequest& request,
                                  const StageCall&) {
    checkSharpen(request);
    const tensor::Images& given = imagesIn(request.image);
    context.record.put("sharpen_in", given.pixels());
    at::Tensor result = tensor::sharpened(
        given.pixels(),
        {.radius = request.radius, .percent = request.percent, .threshold = request.threshold});
    context.record.put("sharpen_out", result);
    tensor::Provenance provenance = given.provenance();
    if (!provenance.fields.empty()) {
        provenance.set("Sharpen",
                       "radius " + formatNumber(request.radius) + ", percent " +
                           formatNumber(request.percent) + ", threshold " +
                           formatNumber(request.threshold));
    }
    return {std::make_shared<const tensor::Images>(std::move(result), std::move(provenance))};
}

StageShapes sharpenShapes(const SharpenRequest& request, StageFacts&) {
    checkSharpen(request);
    return {.outputs = {outputOf("IMAGE", shapeOf(request.image))}};
}

}  // namespace

const StageDef<SharpenRequest>& stageOf(const SharpenRequest&) {
    static const StageDef<SharpenRequest> def{.name = "sharpen",
                                              .wires = {{"image", &SharpenRequest::image}},
                                              .shape = sharpenShapes,
                                              .run = sharpenStage};
    return def;
}

}  // namespace lowtide::nodes
