#include "nodes/engine/image_prompts.hpp"
#include "nodes/engine/influence.hpp"
#include "nodes/engine/node_def.hpp"
#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/shared_params.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/memory/precision.hpp"
#include "plugin/nn/blocks/pass.hpp"
#include "plugin/nn/image_prompts/clip_vision_model.hpp"
#include "plugin/nn/shape_walk.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/text/prompt_weights.hpp"

#include <ATen/ATen.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::nodes {

namespace {

/// Pictures for an IP-Adapter, behind those of `imagePrompt`.
struct ImagePromptAsked {
    WireRef adapter;
    WireRef image;   ///< one or several pictures of one size
    WireRef image2;  ///< more, of other sizes; may be null, as the next ones
    WireRef image3;
    WireRef image4;
    WireRef mask;  ///< where they speak: one, or one for each picture that is made; may be null
    WireRef imagePrompt;  ///< may be null
    double strength = 1;
    double start = 0;  ///< shares of the denoising pass's calls between which they are seen
    double end = 1;
    std::string weights;  ///< "1, 0.5": of each picture, which then speaks for itself; empty: all
                          ///< speak together
    memory::PrecisionChoice precision{};
};

/// Those that are connected, with their ports.
std::vector<std::pair<const char*, WireRef>> picturesOf(const ImagePromptAsked& asked) {
    std::vector<std::pair<const char*, WireRef>> pictures = {{"image", asked.image}};
    for (const auto& [port, wire] : {std::pair("image_2", &asked.image2),
                                     std::pair("image_3", &asked.image3),
                                     std::pair("image_4", &asked.image4)}) {
        if (*wire) {
            pictures.emplace_back(port, *wire);
        }
    }
    return pictures;
}

int64_t pictureCount(const ImagePromptAsked& asked) {
    int64_t count = 0;
    for (const auto& [port, wire] : picturesOf(asked)) {
        const Shape shape = shapeOf(wire);
        requireThat(shape.size() == 4 && shape[0] > 0 && shape[2] > 0 && shape[3] > 0,
                    message("the input {} is no picture with a size", port),
                    message("connect a picture"),
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
                    message("{} is no weight of a picture", quotedName(part)),
                    message("write numbers with commas between: 1, 0.5"),
                    "weights");
        weights.push_back(weight->value);
    }
    requireThat(static_cast<int64_t>(weights.size()) == pictures,
                message("there are {} weights for {} pictures", weights.size(), pictures),
                message("write one number for each picture, or none"),
                "weights");
    return weights;
}

ImagePromptSettings imagePromptSettings(const ImagePromptAsked& asked, int64_t pictures) {
    const Influence influence{.strength = asked.strength, .start = asked.start, .end = asked.end};
    requireInfluence(influence,
                     message("the pictures are seen from {} to {}",
                             formatNumber(asked.start),
                             formatNumber(asked.end)));
    return {.influence = influence, .weights = pictureWeights(asked.weights, pictures)};
}

/// Those before it and this one, with shapes alone.
std::vector<ImagePromptEntry> outlinedPrompts(const ImagePromptAsked& asked) {
    const models::IpAdapter& adapter = ipAdapterIn(asked.adapter);
    const int64_t pictures = pictureCount(asked);
    const models::ImageProjectionConfig& projection = adapter.projection().config();
    ImagePromptEntry entry{
        .adapter = std::static_pointer_cast<const models::IpAdapter>(adapter.shared_from_this()),
        .settings = imagePromptSettings(asked, pictures),
        .tokensShape = {1 + pictures, projection.tokens, projection.width},
        .maskShape = shapeOf(asked.mask)};
    std::vector<ImagePromptEntry> entries;
    if (const ImagePrompts* before = imagePromptsIn(asked.imagePrompt)) {
        entries = before->entries();
    }
    entries.push_back(std::move(entry));
    return entries;
}

StageShapes imagePromptShapes(const ImagePromptAsked& asked, StageFacts&) {
    std::vector<ImagePromptEntry> entries = outlinedPrompts(asked);
    executor::ValueOutline output{.type = "IMAGE_PROMPT", .shape = {}};
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
                     const ImagePromptAsked& asked) {
    const c10::Device device = context.deviceOf(*adapter.encoder().tree());
    std::vector<at::Tensor> all;
    for (const auto& [port, wire] : picturesOf(asked)) {
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
                                      const ImagePromptAsked& asked,
                                      const StageCall&) {
    std::vector<ImagePromptEntry> entries = outlinedPrompts(asked);
    ImagePromptEntry& own = entries.back();
    const models::IpAdapter& adapter = *own.adapter;
    const c10::Device device = context.deviceOf(*adapter.encoder().tree());
    for (ImagePromptEntry& entry : entries) {
        entry.tokens = copyOn(entry.tokens, device);
        entry.mask = copyOn(entry.mask, device);
    }
    at::Tensor seen;
    {
        const at::Tensor pixels = pixelsFor(context, adapter, asked);
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
    if (asked.mask) {
        own.mask = copyOn(masksIn(asked.mask).values(), device);
    }
    return {std::make_shared<const ImagePrompts>(std::move(entries))};
}

PortDesc morePictures(std::string id, std::string label) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = "Another picture to follow, of any size.",
            .type = "IMAGE",
            .optional = true};
}

std::vector<Field<ImagePromptAsked>> imagePromptFields() {
    constexpr double kMostOfPictures = 10;
    return {
        input(&ImagePromptAsked::adapter,
              {"ip_adapter", "IP-Adapter", "The networks that read the pictures.", "IP_ADAPTER"}),
        input(&ImagePromptAsked::image,
              {"image",
               "Picture",
               "What to follow, of any size; of a batch, all pictures.",
               "IMAGE"}),
        input(&ImagePromptAsked::image2, morePictures("image_2", "Picture 2")),
        input(&ImagePromptAsked::image3, morePictures("image_3", "Picture 3")),
        input(&ImagePromptAsked::image4, morePictures("image_4", "Picture 4")),
        input(&ImagePromptAsked::mask,
              {"mask",
               "Mask",
               "Where in the picture that is made they are followed.",
               "MASK",
               /*optional=*/true}),
        input(&ImagePromptAsked::imagePrompt,
              {"image_prompt",
               "Image prompt",
               "Other pictures, which are followed too.",
               "IMAGE_PROMPT",
               /*optional=*/true}),
        param(&ImagePromptAsked::strength,
              {.id = "strength",
               .label = "Strength",
               .tooltip = "How much of what the pictures say is added to what the text says: 1 as "
                          "trained, 0 nothing.",
               .min = -kMostOfPictures,
               .max = kMostOfPictures,
               .softMin = 0,
               .softMax = 1.5,
               .step = 0.05}),
        param(
            &ImagePromptAsked::start,
            fractionParam("start",
                          "Start",
                          "Share of the steps of a denoising pass before the pictures are seen.")),
        param(&ImagePromptAsked::end,
              fractionParam("end", "End", "Share of the steps after which they are seen no more.")),
        param(&ImagePromptAsked::weights,
              {.id = "weights",
               .label = "Picture weights",
               .tooltip = "A number for each picture, with commas between: every picture then "
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
                      "Makes the denoiser follow pictures as it follows a text: what they show, "
                      "their style, a face.",
                  .components = {"image_encoder", "image_projection"},
                  .outputs = {{.id = "image_prompt",
                               .label = "Image prompt",
                               .tooltip =
                                   "All pictures: connect it to Denoise, or to the next ones.",
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
