#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace lowtide::nodes {

namespace {

using tensor::kernels::Resample;

constexpr double kLargestUpscaledSide = 1 << 16;

struct UpscaleMethod {
    std::string_view name;
    const char* label;  ///< in A1111's words
    Resample filter;
};

constexpr UpscaleMethod kUpscaleMethods[] = {{"lanczos", "Lanczos", Resample::Lanczos},
                                             {"bicubic", "Bicubic", Resample::Bicubic},
                                             {"area", "Area", Resample::Area}};

const UpscaleMethod& upscaleMethodNamed(const std::string& name) {
    const auto* method = std::find_if(
        std::begin(kUpscaleMethods), std::end(kUpscaleMethods), [&](const UpscaleMethod& known) {
            return known.name == name;
        });
    if (method == std::end(kUpscaleMethods)) {
        throw Error(ErrorKind::InvalidInput,
                    "there is no upscale method \"" + name + "\"",
                    "choose lanczos, bicubic or area",
                    "method");
    }
    return *method;
}

int64_t scaledSide(int64_t side, double scale) {
    const double size = static_cast<double>(side) * scale;
    if (!(scale > 0) || size > kLargestUpscaledSide) {
        throw Error(ErrorKind::InvalidInput,
                    "a side of " + std::to_string(side) + " pixels cannot be scaled by " +
                        formatNumber(scale),
                    "choose a scale that gives sides of at most 65536 pixels",
                    "scale");
    }
    return std::max<int64_t>(1, std::llround(size));
}

Shape upscaledShape(const UpscaleRequest& settings) {
    (void)upscaleMethodNamed(settings.method);
    Shape shape = shapeOf(settings.image);
    for (size_t axis = 2; axis < shape.size(); ++axis) {
        shape[axis] = scaledSide(shape[axis], settings.scale);
    }
    return shape;
}

std::vector<WireRef> upscaleStage(models::StageContext& context,
                                  const UpscaleRequest& request,
                                  const StageCall&) {
    const tensor::Images& given = imagesIn(request.image);
    const UpscaleMethod& method = upscaleMethodNamed(request.method);
    const at::Tensor& pixels = given.pixels();
    context.record.put("upscale_in", pixels);
    const Shape shape = upscaledShape(request);
    at::Tensor result = tensor::kernels::resample(pixels, shape[2], shape[3], method.filter);
    context.record.put("upscale_out", result);
    tensor::Provenance provenance = given.provenance();
    if (!provenance.fields.empty()) {
        provenance.set("Postprocess upscale by", formatNumber(request.scale));
        provenance.set("Postprocess upscaler", method.label);
    }
    return {std::make_shared<const tensor::Images>(std::move(result), std::move(provenance))};
}

StageShapes upscaleShapes(const UpscaleRequest& request, StageFacts&) {
    return {.outputs = {outputOf("IMAGE", upscaledShape(request))}};
}

}  // namespace

const StageDef<UpscaleRequest>& stageOf(const UpscaleRequest&) {
    static const StageDef<UpscaleRequest> def{.name = "upscale",
                                              .wires = {{"image", &UpscaleRequest::image}},
                                              .shape = upscaleShapes,
                                              .run = upscaleStage};
    return def;
}

}  // namespace lowtide::nodes
