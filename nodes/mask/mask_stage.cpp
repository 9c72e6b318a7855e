#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/stage_context.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>

namespace lowtide::nodes {

namespace {

/// What the channels of a pixel count.
struct Channel {
    std::string_view name;
    double red;
    double green;
    double blue;
};

/// Brightness as Pillow's convert("L") has it (ITU-R 601-2).
constexpr Channel kChannels[] = {
    {"brightness", 0.299, 0.587, 0.114}, {"red", 1, 0, 0}, {"green", 0, 1, 0}, {"blue", 0, 0, 1}};

const Channel& channelNamed(const std::string& name) {
    const auto* channel = std::find_if(std::begin(kChannels),
                                       std::end(kChannels),
                                       [&](const Channel& known) { return known.name == name; });
    if (channel == std::end(kChannels)) {
        throw Error(ErrorKind::InvalidInput,
                    "a picture has no channel \"" + name + "\"",
                    "choose brightness, red, green or blue",
                    "channel");
    }
    return *channel;
}

at::Tensor levels(const at::Tensor& pixels, const Channel& channel) {
    at::Tensor sum = pixels.narrow(1, 0, 1) * channel.red;
    sum.add_(pixels.narrow(1, 1, 1), channel.green);
    return sum.add_(pixels.narrow(1, 2, 1), channel.blue);
}

/// [B, 1, H, W] of the mask of pictures [B, 3, H, W].
Shape maskShape(const MaskRequest& settings) {
    (void)channelNamed(settings.channel);
    if (!(settings.threshold >= 0 && settings.threshold <= 1)) {
        throw Error(ErrorKind::InvalidInput,
                    "the threshold is " + formatNumber(settings.threshold),
                    "choose a number from 0 to 1",
                    "threshold");
    }
    const Shape image = shapeOf(settings.image);
    return {image[0], 1, image[2], image[3]};
}

std::vector<WireRef> maskStage(models::StageContext& context,
                               const MaskRequest& request,
                               const StageCall&) {
    const at::Tensor& pixels = imagesIn(request.image).pixels();
    (void)maskShape(request);
    at::Tensor mask = levels(pixels, channelNamed(request.channel));
    if (request.threshold > 0) {
        mask = mask.ge(request.threshold).to(at::kFloat);
    }
    if (request.isInverted) {
        mask.neg_().add_(1);
    }
    context.record.put("mask", mask);
    return {std::make_shared<const tensor::Masks>(std::move(mask))};
}

StageShapes maskShapes(const MaskRequest& request, StageFacts&) {
    return {.outputs = {outputOf("MASK", maskShape(request))}};
}

}  // namespace

const StageDef<MaskRequest>& stageOf(const MaskRequest&) {
    static const StageDef<MaskRequest> def{.name = "mask",
                                           .wires = {{"image", &MaskRequest::image}},
                                           .shape = maskShapes,
                                           .run = maskStage};
    return def;
}

}  // namespace lowtide::nodes
