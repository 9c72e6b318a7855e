#include "nodes/control/control_request.hpp"
#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/image/canny.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/picture_pixels.hpp"

#include <ATen/ATen.h>

namespace lowtide::nodes {

namespace {

constexpr int64_t kStrongestGradient = 2040;  ///< of levels of 8 bits

void checkCanny(const CannyRequest& request) {
    const auto check = [](int64_t threshold, const char* param) {
        requireThat(threshold >= 0 && threshold <= kStrongestGradient,
                    std::string(param) + " is " + std::to_string(threshold),
                    "choose a number from 0 to " + std::to_string(kStrongestGradient),
                    param);
    };
    check(request.low, "low");
    check(request.high, "high");
    requireThat(
        request.low <= request.high,
        "low is " + std::to_string(request.low) + " and high is " + std::to_string(request.high),
        "choose a low threshold below the high one",
        "low");
}

/// Of one picture [1, 3, H, W]: [1, 1, H, W], on its device.
at::Tensor edgesOf(const at::Tensor& pixels, const CannyRequest& request) {
    if (pixels.is_meta()) {
        (void)tensor::image8Tensor(pixels);
        return tensor::uploadInDryRun({1, 1, pixels.size(2), pixels.size(3)}, at::kFloat);
    }
    const Image8 edges = image::cannyEdges(tensor::image8(pixels).front(),
                                           static_cast<double>(request.low),
                                           static_cast<double>(request.high));
    return tensor::upload(tensor::planeOf(edges), pixels.device());
}

std::vector<WireRef> cannyStage(models::StageContext& context,
                                const CannyRequest& request,
                                const StageCall& call) {
    const tensor::Images& given = imagesIn(request.image);
    checkCanny(request);
    const at::Tensor& pixels = given.pixels();
    at::Tensor result = at::empty_like(pixels);
    for (int64_t i = 0; i < pixels.size(0); ++i) {
        call.stop.throwIfStopped();
        result.narrow(0, i, 1).copy_(edgesOf(pixels.narrow(0, i, 1), request));
    }
    context.record.put("canny_out", result);
    return {std::make_shared<const tensor::Images>(std::move(result), given.provenance())};
}

StageShapes cannyShapes(const CannyRequest& request, StageFacts&) {
    checkCanny(request);
    return {.outputs = {outputOf("IMAGE", shapeOf(request.image))}};
}

}  // namespace

const StageDef<CannyRequest>& stageOf(const CannyRequest&) {
    static const StageDef<CannyRequest> def{.name = "canny",
                                            .wires = {{"image", &CannyRequest::image}},
                                            .shape = cannyShapes,
                                            .run = cannyStage};
    return def;
}

}  // namespace lowtide::nodes
