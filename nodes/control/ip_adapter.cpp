#include "nodes/engine/image_prompts.hpp"
#include "nodes/engine/influence.hpp"
#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/shared_params.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/memory/precision.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/dry_run.hpp"
#include "plugin/nn/image_prompts/clip_vision_model.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/transfer.hpp"
#include "plugin/text/prompt_weights.hpp"

#include <ATen/ATen.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::nodes {

namespace {

/// Images for an IP-Adapter, behind those of `imagePrompt`.
struct ImagePromptAsked {
    WireRef adapter;
    WireRef image;   ///< one or several images of one size
    WireRef image2;  ///< more, of other sizes; may be null, as the next ones
    WireRef image3;
    WireRef image4;
    WireRef mask;  ///< where they speak: one, or one for each image that is made; may be null
    WireRef imagePrompt;  ///< may be null
    double strength = 1;
    double start = 0;  ///< fractions of the denoising pass's calls between which they are seen
    double end = 1;
    std::string weights;  ///< "1, 0.5": of each image, which then speaks for itself; empty: all
                          ///< speak together
    memory::PrecisionChoice precision{};
};

/// Those that are connected, with their ports.
std::vector<std::pair<const char*, WireRef>> imagesOf(const ImagePromptAsked& asked) {
    std::vector<std::pair<const char*, WireRef>> images = {{"image", asked.image}};
    for (const auto& [port, wire] : {std::pair("image_2", &asked.image2),
                                     std::pair("image_3", &asked.image3),
                                     std::pair("image_4", &asked.image4)}) {
        if (*wire) {
            images.emplace_back(port, *wire);
        }
    }
    return images;
}

int64_t imageCount(const ImagePromptAsked& asked) {
    int64_t count = 0;
    for (const auto& [port, wire] : imagesOf(asked)) {
        const Shape shape = shapeOf(wire);
        requireThat(shape.size() == 4 && shape[0] > 0 && shape[2] > 0 && shape[3] > 0,
                    message("the input {} is no image with a size", port),
                    message("connect an image"),
                    port);
        count += shape[0];
    }
    return count;
}

std::vector<double> imageWeights(const std::string& text, int64_t images) {
    std::vector<double> weights;
    if (trim(text).empty()) {
        return weights;
    }
    for (const std::string& part : split(text, ',')) {
        const std::string number = trim(part);
        const std::optional<models::PromptNumber> weight =
            models::numberAt(number, /*isSigned=*/true);
        requireThat(weight && weight->length == number.size(),
                    message("{} is no weight of an image", quotedName(part)),
                    message("write numbers with commas between: 1, 0.5"),
                    "weights");
        weights.push_back(weight->value);
    }
    requireThat(static_cast<int64_t>(weights.size()) == images,
                message("there are {} weights for {} images", weights.size(), images),
                message("write one number for each image, or none"),
                "weights");
    return weights;
}

ImagePromptSettings imagePromptSettings(const ImagePromptAsked& asked, int64_t images) {
    const Influence influence{.strength = asked.strength, .start = asked.start, .end = asked.end};
    requireInfluence(influence,
                     message("the images are seen from {} to {}",
                             formatNumber(asked.start),
                             formatNumber(asked.end)));
    return {.influence = influence, .weights = imageWeights(asked.weights, images)};
}

/// Those before it and this one, with shapes alone.
std::vector<ImagePromptEntry> promptSpecs(const ImagePromptAsked& asked) {
    const models::IpAdapter& adapter = ipAdapterIn(asked.adapter);
    const int64_t images = imageCount(asked);
    const models::ImageProjectionConfig& projection = adapter.projection().config();
    ImagePromptEntry entry{
        .adapter = std::static_pointer_cast<const models::IpAdapter>(adapter.shared_from_this()),
        .settings = imagePromptSettings(asked, images),
        .tokensShape = {1 + images, projection.tokens, projection.width},
        .maskShape = shapeOf(asked.mask)};
    std::vector<ImagePromptEntry> entries;
    if (const ImagePrompts* before = imagePromptsIn(asked.imagePrompt)) {
        entries = before->entries();
    }
    entries.push_back(std::move(entry));
    return entries;
}

StageShapes imagePromptShapes(const ImagePromptAsked& asked, StageFacts&) {
    std::vector<ImagePromptEntry> entries = promptSpecs(asked);
    executor::ValueSpec output{.type = "IMAGE_PROMPT", .shape = {}};
    for (const ImagePromptEntry& entry : entries) {
        output.tensors.push_back(bytesOf(entry.tokensShape));
        if (!entry.maskShape.empty()) {
            output.tensors.push_back(bytesOf(entry.maskShape));
        }
    }
    output.value = std::make_shared<const ImagePrompts>(std::move(entries));
    return {.outputs = {std::move(output)}};
}

/// What the tower sees: [images, 3, side, side] on its device.
at::Tensor pixelsFor(models::StageContext& context,
                     const models::IpAdapter& adapter,
                     const ImagePromptAsked& asked) {
    const c10::Device device = context.deviceOf(*adapter.encoder().tree());
    std::vector<at::Tensor> all;
    for (const auto& [port, wire] : imagesOf(asked)) {
        all.push_back(models::clipPixels(tensor::upload(imagesIn(wire, port).pixels(), device),
                                         adapter.encoder().config().imageSize));
    }
    return all.size() == 1 ? all.front() : at::cat(all);
}

/// A row in front of `values`: what stands for no image.
at::Tensor withNothing(const at::Tensor& values) {
    return at::cat({at::zeros_like(values.narrow(0, 0, 1)), values});
}

/// The tower's output, of no image first: of a black one for a resampler, else zeros.
at::Tensor statesOf(models::StageContext& context,
                    const models::ClipVisionModel& encoder,
                    const at::Tensor& pixels,
                    bool readsStates) {
    const at::Tensor given = readsStates ? withNothing(pixels) : pixels;
    const at::Tensor visionEmbeds = skipForward(context, *encoder.tree(), given.sizes(), [&] {
        models::Forward forward(context, *encoder.tree());
        return encoder.encode(forward, given);
    });
    return readsStates ? visionEmbeds : withNothing(visionEmbeds);
}

/// [uncond, cond] as the reference records it: what stands for no image as often as there are
/// images.
void recordVisionEmbeds(const tensor::Record& record,
                        const at::Tensor& visionEmbeds,
                        size_t index) {
    if (!record.isOn()) {
        return;
    }
    const at::Tensor images = visionEmbeds.narrow(0, 1, visionEmbeds.size(0) - 1);
    record.put("ip.embeds." + std::to_string(index),
               at::stack({visionEmbeds.narrow(0, 0, 1).expand_as(images), images}));
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
                                      const ImagePromptAsked& asked,
                                      const StageCall&) {
    std::vector<ImagePromptEntry> entries = promptSpecs(asked);
    ImagePromptEntry& own = entries.back();
    const models::IpAdapter& adapter = *own.adapter;
    const c10::Device device = context.deviceOf(*adapter.encoder().tree());
    for (ImagePromptEntry& entry : entries) {
        entry.tokens = copyOn(entry.tokens, device);
        entry.mask = copyOn(entry.mask, device);
    }
    at::Tensor visionEmbeds;
    {
        const at::Tensor pixels = pixelsFor(context, adapter, asked);
        context.record.put("ip.pixels", pixels);
        visionEmbeds =
            statesOf(context, adapter.encoder(), pixels, adapter.file().projection.isResampler);
    }
    recordVisionEmbeds(context.record, visionEmbeds, entries.size() - 1);
    const models::ImageProjection& projection = adapter.projection();
    visionEmbeds = tensor::upload(visionEmbeds, context.deviceOf(*projection.tree()));
    const at::Tensor tokens = skipForward(context, *projection.tree(), visionEmbeds.sizes(), [&] {
        models::Forward forward(context, *projection.tree());
        return projection.apply(forward, visionEmbeds);
    });
    own.tokens = tensor::upload(tokens, device);
    if (asked.mask) {
        own.mask = copyOn(masksIn(asked.mask).values(), device);
    }
    return {std::make_shared<const ImagePrompts>(std::move(entries))};
}

PortDesc moreImages(std::string id, std::string label) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = "Another image to follow, of any size.",
            .type = "IMAGE",
            .optional = true};
}

std::vector<Field<ImagePromptAsked>> imagePromptFields() {
    constexpr double kMostOfImages = 10;
    return {
        input(&ImagePromptAsked::adapter,
              {"ip_adapter", "IP-Adapter", "The networks that read the images.", "IP_ADAPTER"}),
        input(&ImagePromptAsked::image,
              {"image", "Image", "What to follow, of any size; of a batch, all images.", "IMAGE"}),
        input(&ImagePromptAsked::image2, moreImages("image_2", "Image 2")),
        input(&ImagePromptAsked::image3, moreImages("image_3", "Image 3")),
        input(&ImagePromptAsked::image4, moreImages("image_4", "Image 4")),
        input(&ImagePromptAsked::mask,
              {"mask",
               "Mask",
               "Where in the image that is made they are followed.",
               "MASK",
               /*optional=*/true}),
        input(&ImagePromptAsked::imagePrompt,
              {"image_prompt",
               "Image prompt",
               "Other images, which are followed too.",
               "IMAGE_PROMPT",
               /*optional=*/true}),
        param(&ImagePromptAsked::strength,
              {.id = "strength",
               .label = "Strength",
               .tooltip = "How much of what the images give is added to what the text gives: 1 as "
                          "trained, 0 nothing.",
               .min = -kMostOfImages,
               .max = kMostOfImages,
               .softMin = 0,
               .softMax = 1.5,
               .step = 0.05}),
        param(
            &ImagePromptAsked::start,
            fractionParam("start",
                          "Start",
                          "Fraction of the steps of a denoising pass before the images are seen.")),
        param(&ImagePromptAsked::end,
              fractionParam(
                  "end", "End", "Fraction of the steps after which they are seen no more.")),
        param(&ImagePromptAsked::weights,
              {.id = "weights",
               .label = "Image weights",
               .tooltip = "A number for each image, with commas between: every image then "
                          "speaks for itself, so strong. Empty: all are read together.",
               .kind = ParamKind::Text,
               .advanced = true})};
}

}  // namespace

executor::NodeType applyIpAdapterNode(Stages& stages) {
    return nodeOf<ImagePromptAsked>(
        stages,
        {.desc = {.id = "control.ip_adapter",
                  .label = "Apply IP-Adapter",
                  .category = "ControlNet",
                  .tooltip =
                      "Makes the denoiser follow images as it follows a text: what they show, "
                      "their style, a face.",
                  .components = {"image_encoder", "image_projection"},
                  .outputs = {{.id = "image_prompt",
                               .label = "Image prompt",
                               .tooltip = "All images: connect it to Denoise, or to the next ones.",
                               .type = "IMAGE_PROMPT"}}},
         .fields = imagePromptFields(),
         .stage = {.name = "image prompt",
                   .source =
                       [](const ImagePromptAsked& asked) {
                           return ipAdapterIn(asked.adapter).shared_from_this();
                       },
                   .roles = {models::kImageEncoder, models::kImageProjection},
                   .shape = imagePromptShapes,
                   .run = imagePromptStage}});
}

}  // namespace lowtide::nodes
