#include "nodes/decode/decode.hpp"
#include "nodes/engine/finite_checks.hpp"
#include "nodes/engine/joined_images.hpp"
#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/shared_params.hpp"
#include "plugin/base/error.hpp"
#include "plugin/nn/dry_run.hpp"
#include "plugin/nn/feathered_tiles.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/image_pixels.hpp"
#include "plugin/tensor/transfer.hpp"

namespace lowtide::nodes {

namespace {

at::Tensor decodeAll(models::StageContext& context,
                     const models::Model& model,
                     const at::Tensor& latents,
                     const DecodeAsked& asked,
                     const StageCall& call,
                     FiniteResult& finite) {
    const auto network = treeIn(model, models::kAutoencoder);
    const auto decode = [&](const at::Tensor& part) {
        return finite.of([&](models::StageContext& own) {
            return skipForward(
                own, *network, part.sizes(), [&] { return model.decode(own, part); });
        });
    };
    const int64_t count = latents.size(0);
    JoinedImages images(count);
    for (int64_t i = 0; i < count; ++i) {
        call.stop.throwIfStoppedBetweenImages();
        const at::Tensor one = latents.narrow(0, i, 1);
        images.put(
            i, models::decodeInTiles(one, asked.tilePixels, model.info().latent.factor, decode));
        reportProgress(context, *network, call, "decode", i + 1, count);
    }
    return images.take();
}

/// Frames in a row as the one video that they are.
at::Tensor asVideo(const at::Tensor& frames) {
    return frames.unsqueeze(0);
}

/// [B, 3, H, W] of the images of latents, whose shape is empty where there are none yet; of a
/// video's frames [F, 3, H, W].
Shape decodedShape(const DecodeAsked& asked) {
    const models::Model& model = modelIn(asked.model);
    const Shape latents = shapeOf(asked.latent);
    if (latents.empty()) {
        throw Error(ErrorKind::InvalidInput,
                    message("the latent is empty, there is nothing to decode"),
                    message("put a denoise node between"),
                    "latent");
    }
    checkLatents(model, latents);
    const models::ImageSize size = model.info().latent.sizeOf(latents);
    requireThat(latents.front() == 1 || size.frames == 1,
                message("the latent holds {} videos", latents.front()),
                message("make one video at a time: a batch of 1"),
                "latent");
    return {latents.front() * size.frames, tensor::kImageChannels, size.height, size.width};
}

StageShapes decodeShapes(const DecodeAsked& asked, StageFacts&) {
    return {.outputs = {outputOf("IMAGE", decodedShape(asked))}};
}

}  // namespace

WireRef decodeLatents(models::StageContext& context,
                      const DecodeAsked& asked,
                      const StageCall& call) {
    const models::Model& model = modelIn(asked.model);
    (void)decodedShape(asked);
    const tensor::Latents& given = latentsIn(asked.latent);
    const auto network = treeIn(model, models::kAutoencoder);
    const c10::Device device = context.deviceOf(*network);
    const at::Tensor latents =
        forAutoencoder(model.info().latent, tensor::upload(given.samples(), device));
    context.record.put("vae.decode_in", latents);
    FiniteResult finite(context, call, *network);
    at::Tensor pixels = decodeAll(context, model, latents, asked, call, finite);
    const bool isVideo = model.info().latent.hasFrames;
    context.record.put("vae.decode_out", isVideo ? asVideo(pixels).transpose(1, 2) : pixels);
    pixels.div_(2).add_(0.5).clamp_(0, 1);
    context.record.put("image", isVideo ? asVideo(pixels) : pixels);
    if (context.record.isOn()) {
        const at::Tensor levels = tensor::image8Tensor(pixels);
        context.record.put("image_u8", isVideo ? asVideo(levels) : levels);
    }
    tensor::Provenance provenance = given.provenance();
    finite.describe(provenance, kDecodeField);
    return std::make_shared<const tensor::Images>(std::move(pixels), std::move(provenance));
}

executor::NodeType decodeImageNode(Stages& stages) {
    return nodeOf<DecodeAsked>(
        stages,
        {.desc = {.id = "decode.image",
                  .label = "Decode image",
                  .category = "Decode",
                  .tooltip = "Turns a latent image into pixels.",
                  .components = {"autoencoder"},
                  .outputs = {{.id = "image",
                               .label = "Image",
                               .tooltip = "The images.",
                               .type = "IMAGE"}}},
         .fields = {input(&DecodeAsked::model,
                          {"model", "Model", "Its autoencoder is used.", "MODEL"}),
                    input(&DecodeAsked::latent,
                          {"latent", "Latent", "The latent image.", "LATENT"}),
                    param(&DecodeAsked::tilePixels,
                          tileParam("Side of the tiles to decode one after the other, with "
                                    "blended seams; 0 decodes whole. Saves memory and changes "
                                    "pixels."))},
         .stage = {.name = "decode",
                   .source = modelOf<DecodeAsked>,
                   .roles = {models::kAutoencoder},
                   .shape = decodeShapes,
                   .run =
                       [](models::StageContext& context,
                          const DecodeAsked& asked,
                          const StageCall& call) {
                           return std::vector<WireRef>{decodeLatents(context, asked, call)};
                       },
                   .tilePixels = &DecodeAsked::tilePixels},
         .collectAfter = "decode"});
}

}  // namespace lowtide::nodes
