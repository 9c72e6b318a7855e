#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/stage_context.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <vector>

namespace lowtide::nodes {

namespace {

constexpr int64_t kMostGrown = 512;
constexpr double kMostFeather = 256;
constexpr double kDeviations = 3;
constexpr int64_t kMaskRows = 2;
constexpr int64_t kMaskColumns = 3;

/// `target` becomes the larger of itself and of `source`'s pixels one before and one behind.
void raiseAlong(at::Tensor& target, const at::Tensor& source, int64_t axis) {
    const int64_t count = source.size(axis);
    if (count < 2) {
        return;
    }
    at::Tensor behind = target.narrow(axis, 1, count - 1);
    behind.copy_(at::maximum(behind, source.narrow(axis, 0, count - 1)));
    at::Tensor before = target.narrow(axis, 0, count - 1);
    before.copy_(at::maximum(before, source.narrow(axis, 1, count - 1)));
}

at::Tensor grownByOne(const at::Tensor& mask, bool isSquare) {
    at::Tensor grown = mask.clone();
    raiseAlong(grown, mask, kMaskColumns);
    if (isSquare) {
        const at::Tensor wide = grown.clone();
        raiseAlong(grown, wide, kMaskRows);
    } else {
        raiseAlong(grown, mask, kMaskRows);
    }
    return grown;
}

at::Tensor grownBy(const at::Tensor& mask, const MaskGrowRequest& request, const StageCall& call) {
    const bool isSquare = request.corners == "square";
    // The lowest value is the highest of the negative ones.
    at::Tensor grown = request.pixels < 0 ? mask.neg() : mask;
    for (int64_t i = 0; i < std::abs(request.pixels); ++i) {
        call.stop.throwIfStopped();
        grown = grownByOne(grown, isSquare);
    }
    return request.pixels < 0 ? grown.neg() : grown;
}

std::vector<double> gaussianWeights(double deviation) {
    const auto reach = static_cast<int64_t>(kDeviations * deviation + 0.5);
    std::vector<double> weights;
    double sum = 0;
    for (int64_t i = -reach; i <= reach; ++i) {
        const double place = static_cast<double>(i) / deviation;
        weights.push_back(std::exp(-0.5 * place * place));
        sum += weights.back();
    }
    for (double& weight : weights) {
        weight /= sum;
    }
    return weights;
}

at::Tensor blurredAlong(const at::Tensor& mask, int64_t axis, const std::vector<double>& weights) {
    const int64_t count = mask.size(axis);
    const auto reach = static_cast<int64_t>(weights.size() / 2);
    std::vector<int64_t> border = mask.sizes().vec();
    border[static_cast<size_t>(axis)] = reach;
    const at::Tensor wide = at::cat({mask.narrow(axis, 0, 1).expand(border),
                                     mask,
                                     mask.narrow(axis, count - 1, 1).expand(border)},
                                    axis);
    at::Tensor sum = wide.narrow(axis, 0, count) * weights.front();
    for (size_t i = 1; i < weights.size(); ++i) {
        sum.add_(wide.narrow(axis, static_cast<int64_t>(i), count), weights[i]);
    }
    return sum;
}

at::Tensor feathered(const at::Tensor& mask, double deviation) {
    const std::vector<double> weights = gaussianWeights(deviation);
    return blurredAlong(blurredAlong(mask, kMaskRows, weights), kMaskColumns, weights);
}

void checkMaskGrow(const MaskGrowRequest& settings) {
    requireThat(std::abs(settings.pixels) <= kMostGrown,
                "the mask shall grow by " + std::to_string(settings.pixels) + " pixels",
                "choose a number from -512 to 512",
                "pixels");
    requireThat(settings.corners == "tapered" || settings.corners == "square",
                "there are no corners \"" + settings.corners + "\"",
                "choose tapered or square",
                "corners");
    requireThat(settings.feather >= 0 && settings.feather <= kMostFeather,
                "the feather is " + formatNumber(settings.feather),
                "choose a number from 0 to 256",
                "feather");
}

/// Masks made larger (each pixel gets the highest value around it) or smaller (the lowest), pixel
/// by pixel, then blurred by a gaussian up to three deviations, the border repeated. Stops between
/// pixels. Sources: ComfyUI GrowMask (tapered: the four neighbours; square: the eight);
/// scipy.ndimage.gaussian_filter(mode "nearest", truncate 3). Records mask_in and mask.
std::vector<WireRef> growMaskStage(models::StageContext& context,
                                   const MaskGrowRequest& request,
                                   const StageCall& call) {
    checkMaskGrow(request);
    const at::Tensor& given = masksIn(request.mask).values();
    context.record.put("mask_in", given);
    at::Tensor mask = grownBy(given, request, call);
    if (request.feather > 0) {
        mask = feathered(mask, request.feather);
    }
    context.record.put("mask", mask);
    return {std::make_shared<const tensor::Masks>(std::move(mask))};
}

StageShapes growMaskShapes(const MaskGrowRequest& request, StageFacts&) {
    checkMaskGrow(request);
    return {.outputs = {outputOf("MASK", shapeOf(request.mask))}};
}

}  // namespace

const StageDef<MaskGrowRequest>& stageOf(const MaskGrowRequest&) {
    static const StageDef<MaskGrowRequest> def{.name = "mask",
                                               .wires = {{"mask", &MaskGrowRequest::mask}},
                                               .shape = growMaskShapes,
                                               .run = growMaskStage};
    return def;
}

}  // namespace lowtide::nodes
