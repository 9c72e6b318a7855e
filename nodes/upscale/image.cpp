#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace lowtide::nodes {

namespace {

using tensor::kernels::Resample;

constexpr double kLargestUpscaledSide = 1 << 16;

/// A filter, and what A1111 calls it.
struct UpscaleFilter {
    Resample filter = Resample::Lanczos;
    const char* upscaler = "Lanczos";

    bool operator==(const UpscaleFilter& other) const { return filter == other.filter; }
};

struct UpscaleAsked {
    WireRef image;
    UpscaleFilter filter{};
    double scale = 2;
};

int64_t scaledSide(int64_t side, double scale) {
    const double size = static_cast<double>(side) * scale;
    if (!(scale > 0) || size > kLargestUpscaledSide) {
        throw Error(
            ErrorKind::InvalidInput,
            message("a side of {} pixels cannot be scaled by {}", side, formatNumber(scale)),
            message("choose a scale that gives sides of at most 65536 pixels"),
            "scale");
    }
    return std::max<int64_t>(1, std::llround(size));
}

Shape upscaledShape(const UpscaleAsked& asked) {
    Shape shape = shapeOf(asked.image);
    for (size_t axis = 2; axis < shape.size(); ++axis) {
        shape[axis] = scaledSide(shape[axis], asked.scale);
    }
    return shape;
}

std::vector<WireRef> upscaleStage(models::StageContext& context,
                                  const UpscaleAsked& asked,
                                  const StageCall&) {
    const tensor::Images& given = imagesIn(asked.image);
    const at::Tensor& pixels = given.pixels();
    context.record.put("upscale_in", pixels);
    const Shape shape = upscaledShape(asked);
    at::Tensor result = tensor::kernels::resample(pixels, shape[2], shape[3], asked.filter.filter);
    context.record.put("upscale_out", result);
    tensor::Provenance provenance = given.provenance();
    if (!provenance.fields.empty()) {
        provenance.set("Postprocess upscale by", formatNumber(asked.scale));
        provenance.set("Postprocess upscaler", asked.filter.upscaler);
    }
    return {std::make_shared<const tensor::Images>(std::move(result), std::move(provenance))};
}

StageShapes upscaleShapes(const UpscaleAsked& asked, StageFacts&) {
    return {.outputs = {outputOf("IMAGE", upscaledShape(asked))}};
}

std::vector<Field<UpscaleAsked>> upscaleFields() {
    return {input(&UpscaleAsked::image, {"image", "Image", "The images.", "IMAGE"}),
            choice(&UpscaleAsked::filter,
                   {.id = "method",
                    .label = "Method",
                    .tooltip = "Lanczos is the sharpest, bicubic is smooth, area averages pixels."},
                   {{"lanczos", "Lanczos", UpscaleFilter{Resample::Lanczos, "Lanczos"}},
                    {"bicubic", "Bicubic", UpscaleFilter{Resample::Bicubic, "Bicubic"}},
                    {"area", "Area", UpscaleFilter{Resample::Area, "Area"}}}),
            param(&UpscaleAsked::scale,
                  {.id = "scale",
                   .label = "Scale",
                   .tooltip = "Factor of both sides; the result is rounded to whole pixels.",
                   .unit = "x",
                   .min = 0.01,
                   .max = 16,
                   .softMin = 0.25,
                   .softMax = 4,
                   .step = 0.25})};
}

}  // namespace

executor::NodeType upscaleImageNode(Stages& stages) {
    return nodeOf<UpscaleAsked>(
        stages,
        {.desc = {.id = "upscale.image",
                  .label = "Upscale image",
                  .category = "Upscale",
                  .tooltip = "Resizes images by a factor with a classic filter, without a network.",
                  .outputs = {{.id = "image",
                               .label = "Image",
                               .tooltip = "The resized images.",
                               .type = "IMAGE"}}},
         .fields = upscaleFields(),
         .stage = {.name = "upscale", .shape = upscaleShapes, .run = upscaleStage},
         .collectAfter = "upscale"});
}

}  // namespace lowtide::nodes
