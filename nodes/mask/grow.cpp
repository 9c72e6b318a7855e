#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/stage_context.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <vector>

namespace lowtide::nodes {

namespace {

/// A mask made larger or smaller, and softer.
struct GrowMaskAsked {
    WireRef mask;
    int64_t pixels = 0;             ///< by so many; negative: smaller
    bool hasSquareCorners = false;  ///< grows across too, not up, down and sideways alone
    double feather = 0;             ///< standard deviation of the blur, in pixels
};

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

at::Tensor grownBy(const at::Tensor& mask, const GrowMaskAsked& asked, const StageCall& call) {
    // The lowest value is the highest of the negative ones.
    at::Tensor grown = asked.pixels < 0 ? mask.neg() : mask;
    for (int64_t i = 0; i < std::abs(asked.pixels); ++i) {
        call.stop.throwIfStopped();
        grown = grownByOne(grown, asked.hasSquareCorners);
    }
    return asked.pixels < 0 ? grown.neg() : grown;
}

std::vector<double> gaussianWeights(double deviation) {
    const auto reach = static_cast<int64_t>(kDeviations * deviation + 0.5);
    std::vector<double> weights;
    double sum = 0;
    for (int64_t i = -reach; i <= reach; ++i) {
        const double position = static_cast<double>(i) / deviation;
        weights.push_back(std::exp(-0.5 * position * position));
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

void checkMaskGrow(const GrowMaskAsked& asked) {
    requireThat(std::abs(asked.pixels) <= kMostGrown,
                message("the mask shall grow by {} pixels", asked.pixels),
                message("choose a number from -512 to 512"),
                "pixels");
    requireThat(asked.feather >= 0 && asked.feather <= kMostFeather,
                message("the feather is {}", formatNumber(asked.feather)),
                message("choose a number from 0 to 256"),
                "feather");
}

/// Masks made larger (each pixel gets the highest value around it) or smaller (the lowest), pixel
/// by pixel, then blurred by a gaussian up to three deviations, the border repeated. Stops between
/// pixels. Sources: ComfyUI GrowMask (tapered: the four neighbours; square: the eight);
/// scipy.ndimage.gaussian_filter(mode "nearest", truncate 3). Records mask_in and mask.
std::vector<WireRef> growMaskStage(models::StageContext& context,
                                   const GrowMaskAsked& asked,
                                   const StageCall& call) {
    checkMaskGrow(asked);
    const at::Tensor& given = masksIn(asked.mask).values();
    context.record.put("mask_in", given);
    at::Tensor mask = grownBy(given, asked, call);
    if (asked.feather > 0) {
        mask = feathered(mask, asked.feather);
    }
    context.record.put("mask", mask);
    return {std::make_shared<const tensor::Masks>(std::move(mask))};
}

StageShapes growMaskShapes(const GrowMaskAsked& asked, StageFacts&) {
    checkMaskGrow(asked);
    return {.outputs = {outputOf("MASK", shapeOf(asked.mask))}};
}

std::vector<Field<GrowMaskAsked>> growMaskFields() {
    return {
        input(&GrowMaskAsked::mask, {"mask", "Mask", "The masks.", "MASK"}),
        param(&GrowMaskAsked::pixels,
              {.id = "pixels",
               .label = "Grow",
               .tooltip = "By how many pixels the mask becomes larger; smaller below 0.",
               .unit = "px",
               .min = -512,
               .max = 512,
               .softMin = -64,
               .softMax = 64,
               .step = 1}),
        choice(&GrowMaskAsked::hasSquareCorners,
               {.id = "corners",
                .label = "Corners",
                .tooltip = "Tapered grows up, down and sideways alone; square grows across too."},
               {{"tapered", "Tapered", false}, {"square", "Square", true}}),
        param(
            &GrowMaskAsked::feather,
            {.id = "feather",
             .label = "Feather",
             .tooltip = "Standard deviation of the blur that softens the edge afterwards; 0: none.",
             .unit = "px",
             .min = 0,
             .max = 256,
             .softMin = 0,
             .softMax = 32,
             .step = 1})};
}

}  // namespace

executor::NodeType growMaskNode(Stages& stages) {
    return nodeOf<GrowMaskAsked>(
        stages,
        {.desc = {.id = "mask.grow",
                  .label = "Grow mask",
                  .category = "Mask",
                  .tooltip = "Makes masks larger or smaller, and softens their edges.",
                  .outputs = {{.id = "mask",
                               .label = "Mask",
                               .tooltip = "The new masks.",
                               .type = "MASK"}}},
         .fields = growMaskFields(),
         .stage = {.name = "mask", .shape = growMaskShapes, .run = growMaskStage}});
}

}  // namespace lowtide::nodes
