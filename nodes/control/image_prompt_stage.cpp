#include "nodes/control/image_prompt_request.hpp"
#include "nodes/control/image_prompts.hpp"
#include "nodes/control/influence.hpp"
#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/blocks/pass.hpp"
#include "plugin/nn/image_prompts/clip_vision_model.hpp"
#include "plugin/nn/shape_walk.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/text/prompt_weights.hpp"

#include <ATen/ATen.h>

#include <memory>
#include <optional>
#include <utility>

namespace lowtide::nodes {

namespace {

/// Those that are connected, with their ports.
std::vector<std::pair<const char*, WireRef>> picturesOf(const ImagePromptRequest& request) {
    std::vector<std::pair<const char*, WireRef>> pictures = {{"image", request.image}};
    for (const auto& [port, wire] : {std::pair("image_2", &request.image2),
                                     std::pair("image_3", &request.image3),
                                     std::pair("image_4", &request.image4)}) {
        if (*wire) {
            pictures.emplace_back(port, *wire);
        }
    }
    return pictures;
}

int64_t pictureCount(const ImagePromptRequest& request) {
    int64_t count = 0;
    for (const auto& [port, wire] : picturesOf(request)) {
        const Shape shape = shapeOf(wire);
        requireThat(shape.size() == 4 && shape[0] > 0 && shape[2] > 0 && shape[3] > 0,
                    std::string("the input ") + port + " is no picture with a size",
                    "connect a picture",
                    port);
        count += shape[0];
    }
    return count;
}

std::vector<double> pictureWeights(const std::string& text, int64_t pictures) {
    std::vector<double> weights;
    if (trim(text).empty()) {
        return weights;
    }
    for (const std::string& part : split(text, ',')) {
        const std::string number = trim(part);
        const std::optional<models::PromptNumber> weight =
            models::numberAt(number, /*isSigned=*/true);
        requireThat(weight && weight->length == number.size(),
                    quotedName(part) + " is no weight of a picture",
                    "write numbers with commas between: 1, 0.5",
                    "weights");
        weights.push_back(weight->value);
    }
    requireThat(static_cast<int64_t>(weights.size()) == pictures,
                "there are " + std::to_string(weights.size()) + " weights for " +
                    std::to_string(pictures) + " pictures",
                "write one number for each picture, or none",
                "weights");
    return weights;
}

ImagePromptSettings imagePromptSettings(const ImagePromptRequest& request, int64_t pictures) {
    const Influence influence{
        .strength = request.strength, .start = request.start, .end = request.end};
    requireInfluence(influence,
                     "the pictures are seen from " + formatNumber(request.start) + " to " +
                         formatNumber(request.end));
    return {.influence = influence, .weights = pictureWeights(request.weights, pictures)};
}

/// Those before it and this one, with shapes alone.
std::vector<ImagePromptEntry> outlinedPrompts(const ImagePromptRequest& request) {
    const models::IpAdapter& adapter = ipAdapterIn(request.adapter);
    const int64_t pictures = pictureCount(request);
    const models::ImageProjectionConfig& projection = adapter.projection().config();
    ImagePromptEntry entry{
        .adapter = std::static_pointer_cast<const models::IpAdapter>(adapter.shared_from_this()),
        .settings = imagePromptSettings(request, pictures),
        .tokensShape = {1 + pictures, projection.tokens, projection.width},
        .maskShape = shapeOf(request.mask)};
    std::vector<ImagePromptEntry> entries;
    if (const ImagePrompts* before = imagePromptsIn(request.imagePrompt)) {
        entries = before->entries();
    }
    entries.push_back(std::move(entry));
    return entries;
}

StageShapes imagePromptShapes(const ImagePromptRequest& request, StageFacts&) {
    std::vector<ImagePromptEntry> entries = outlinedPrompts(request);
    StageOutput output{.type = "IMAGE_PROMPT", .shape = {}};
    for (const ImagePromptEntry& entry : entries) {
        output.tensors.push_back(bytesOf(entry.tokensShape));
        if (!entry.maskShape.empty()) {
            output.tensors.push_back(bytesOf(entry.maskShape));
        }
    }
    output.value = std::make_shared<const ImagePrompts>(std::move(entries));
    return {.outputs = {std::move(output)}};
}

/// What the tower sees: [pictures, 3, side, side] on its device.
at::Tensor pixelsFor(models::StageContext& context,
                     const models::IpAdapter& adapter,
                     const ImagePromptRequest& request) {
    const c10::Device device = context.deviceOf(*adapter.encoder().tree());
    std::vector<at::Tensor> all;
    for (const auto& [port, wire] : picturesOf(request)) {
        all.push_back(models::clipPixels(tensor::upload(imagesIn(wire, port).pixels(), device),
                                         adapter.encoder().config().imageSize));
    }
    return all.size() == 1 ? all.front() : at::cat(all);
}

/// A row in front of `values`: what stands for no picture.
at::Tensor withNothing(const at::Tensor& values) {
    return at::cat({at::zeros_like(values.narrow(0, 0, 1)), values});
}

/// What the tower says, of no picture first: of a black one for a resampler, else zeros.
at::Tensor statesOf(models::StageContext& context,
                    const models::ClipVisionModel& encoder,
                    const at::Tensor& pixels,
                    bool readsStates) {
    const at::Tensor given = readsStates ? withNothing(pixels) : pixels;
    const at::Tensor seen = passOver(context, *encoder.tree(), given.sizes(), [&] {
        models::Pass pass(context, *encoder.tree());
        return encoder.encode(pass, given);
    });
    return readsStates ? seen : withNothing(seen);
}

/// [uncond, cond] as the reference records it: what stands for no picture as often as there are
/// pictures.
void recordSeen(const tensor::Record& record, const at::Tensor& seen, size_t index) {
    if (!record.isOn()) {
        return;
    }
    const at::Tensor pictures = seen.narrow(0, 1, seen.size(0) - 1);
    record.put("ip.embeds." + std::to_string(index),
               at::stack({seen.narrow(0, 0, 1).expand_as(pictures), pictures}));
}

/// A copy on the node's device: what lies on a wire is its own, and is counted once.
at::Tensor copyOn(const at::Tensor& value, c10::Device device) {
    if (!value.defined()) {
        return value;
    }
    at::Tensor copy = tensor::upload(value, device);
    return copy.is_same(value) ? value.clone() : copy;
}

/// Records ip.pixels and ip.embeds.
std::vector<WireRef> imagePromptStage(models::StageContext& context,
                                      const ImagePromptRequest& request,
                                      const StageCall&) {
    std::vector<ImagePromptEntry> entries = outlinedPrompts(request);
    ImagePromptEntry& own = entries.back();
    const models::IpAdapter& adapter = *own.adapter;
    const c10::Device device = context.deviceOf(*adapter.encoder().tree());
    for (ImagePromptEntry& entry : entries) {
        entry.tokens = copyOn(entry.tokens, device);
        entry.mask = copyOn(entry.mask, device);
    }
    at::Tensor seen;
    {
        const at::Tensor pixels = pixelsFor(context, adapter, request);
        context.record.put("ip.pixels", pixels);
        seen = statesOf(context, adapter.encoder(), pixels, adapter.file().projection.isResampler);
    }
    recordSeen(context.record, seen, entries.size() - 1);
    const models::ImageProjection& projection = adapter.projection();
    seen = tensor::upload(seen, context.deviceOf(*projection.tree()));
    const at::Tensor tokens = passOver(context, *projection.tree(), seen.sizes(), [&] {
        models::Pass pass(context, *projection.tree());
        return projection.apply(pass, seen);
    });
    own.tokens = tensor::upload(tokens, device);
    if (request.mask) {
        own.mask = copyOn(masksIn(request.mask).values(), device);
    }
    return {std::make_shared<const ImagePrompts>(std::move(entries))};
}

}  // namespace

const StageDef<ImagePromptRequest>& stageOf(const ImagePromptRequest&) {
    static const StageDef<ImagePromptRequest> def{
        .name = "image prompt",
        .wires = {{"ip_adapter", &ImagePromptRequest::adapter},
                  {"image", &ImagePromptRequest::image},
                  {"image_2", &ImagePromptRequest::image2},
                  {"image_3", &ImagePromptRequest::image3},
                  {"image_4", &ImagePromptRequest::image4},
                  {"mask", &ImagePromptRequest::mask},
                  {"image_prompt", &ImagePromptRequest::imagePrompt}},
        .source =
            [](const ImagePromptRequest& request) {
                return ipAdapterIn(request.adapter).shared_from_this();
            },
        .roles = {models::kImageEncoder, models::kImageProjection},
        .shape = imagePromptShapes,
        .run = imagePromptStage};
    return def;
}

}  // namespace lowtide::nodes
