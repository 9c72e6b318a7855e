#include "nodes/encode/encode_image.hpp"
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
#include "plugin/sampling/schedule_range.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

namespace lowtide::nodes {

namespace {

constexpr double kMasked = 0.5;  ///< from here on a pixel is masked

/// The images as the autoencoder sees them: -1..1, and grey where they are masked.
at::Tensor visiblePixels(const ImageEncodeAsked& asked, c10::Device device) {
    const at::Tensor& given = imagesIn(asked.image).pixels();
    at::Tensor pixels = tensor::upload(given, device);
    pixels = pixels.is_same(given) ? given * 2 : pixels.mul_(2);
    pixels.sub_(1);
    if (asked.mask) {
        pixels.mul_(tensor::upload(masksIn(asked.mask).values(), device) < kMasked);
    }
    return pixels;
}

at::Tensor encodeAll(models::StageContext& context,
                     const models::Model& model,
                     const at::Tensor& pixels,
                     const ImageEncodeAsked& asked,
                     const StageCall& call,
                     FiniteResult& finite) {
    const auto network = treeIn(model, models::kAutoencoder);
    const auto encode = [&](const at::Tensor& part) {
        return finite.of([&](models::StageContext& own) {
            return skipForward(
                own, *network, part.sizes(), [&] { return model.encode(own, part); });
        });
    };
    const int64_t count = pixels.size(0);
    JoinedImages moments(count);
    for (int64_t i = 0; i < count; ++i) {
        call.stop.throwIfStoppedBetweenImages();
        const at::Tensor one = pixels.narrow(0, i, 1);
        moments.put(
            i, models::encodeInTiles(one, asked.tilePixels, model.info().latent.factor, encode));
        reportProgress(context, *network, call, "encode", i + 1, count);
    }
    return moments.take();
}

/// [B, C, h, w] for images [B, 3, H, W] and a mask [1 or B, 1, H, W].
Shape encodedShape(const ImageEncodeAsked& asked) {
    const models::Model& model = modelIn(asked.model);
    const Shape image = shapeOf(asked.image);
    requireImages(model, message("encoding"));
    Shape shape = latentShapeFor(model, {.width = image[3], .height = image[2]}, image[0], "image");
    if (asked.mask) {
        checkMaskFits(shapeOf(asked.mask), image);
    }
    return shape;
}

bool givesDistribution(const ImageEncodeAsked& asked) {
    return asked.sampling == LatentSampling::Sample;
}

StageShapes imageEncodeShapes(const ImageEncodeAsked& asked, StageFacts&) {
    const Shape shape = encodedShape(asked);
    return {
        .outputs = {latentOutput(
            shape, givesDistribution(asked) ? std::make_shared<const LatentSpec>(true) : nullptr)}};
}

std::vector<Field<ImageEncodeAsked>> imageEncodeFields() {
    return {
        input(&ImageEncodeAsked::model, {"model", "Model", "Its autoencoder is used.", "MODEL"}),
        input(&ImageEncodeAsked::image, {"image", "Image", "The images.", "IMAGE"}),
        input(&ImageEncodeAsked::mask,
              {"mask",
               "Mask",
               "What it covers is made grey first: the masked image of a checkpoint that fills "
               "masks.",
               "MASK",
               /*optional=*/true}),
        param(&ImageEncodeAsked::tilePixels,
              tileParam("Side of the tiles to encode one after the other, with blended seams; 0 "
                        "encodes whole. Saves memory and changes pixels.")),
        choice(&ImageEncodeAsked::sampling,
               {.id = "sampling",
                .label = "Sampling",
                .tooltip = "What is taken of the many latents that an image may have: a sample, "
                           "drawn by the denoiser with its seed, or their mean.",
                .advanced = true},
               {{"sample", "A sample, by the denoiser's seed", LatentSampling::Sample},
                {"mean", "The mean, for every seed", LatentSampling::Mean}})};
}

}  // namespace

WireRef encodeImages(models::StageContext& context,
                     const ImageEncodeAsked& asked,
                     const StageCall& call) {
    const models::Model& model = modelIn(asked.model);
    const tensor::Images& given = imagesIn(asked.image);
    (void)encodedShape(asked);
    const auto network = treeIn(model, models::kAutoencoder);
    const c10::Device device = context.deviceOf(*network);
    const at::Tensor pixels = visiblePixels(asked, device);
    context.record.put("init.pixels", pixels);
    context.record.putNext("vae.encode_in", pixels);
    FiniteResult finite(context, call, *network);
    const at::Tensor moments = encodeAll(context, model, pixels, asked, call, finite);
    context.record.putNext("vae.moments", moments);
    sampling::LatentDistribution seen = forDenoiser(model.info().latent, moments);
    if (!givesDistribution(asked)) {
        seen.deviation.reset();
    }
    tensor::Provenance provenance = given.provenance();
    finite.describe(provenance, kEncodeField);
    return std::make_shared<const tensor::Latents>(
        std::move(seen.mean), std::move(provenance), nullptr, std::move(seen.deviation));
}

executor::NodeType encodeImageNode(Stages& stages) {
    return nodeOf<ImageEncodeAsked>(
        stages,
        {.desc = {.id = "encode.image",
                  .label = "Encode image",
                  .category = "Encode",
                  .tooltip = "Turns pixels into a latent image for the denoiser to go on with.",
                  .components = {"autoencoder"},
                  .outputs = {{.id = "latent",
                               .label = "Latent",
                               .tooltip = "The latent image.",
                               .type = "LATENT"}}},
         .fields = imageEncodeFields(),
         .stage = {.name = "image encode",
                   .source = modelOf<ImageEncodeAsked>,
                   .roles = {models::kAutoencoder},
                   .shape = imageEncodeShapes,
                   .run =
                       [](models::StageContext& context,
                          const ImageEncodeAsked& asked,
                          const StageCall& call) {
                           return std::vector<WireRef>{encodeImages(context, asked, call)};
                       },
                   .tilePixels = &ImageEncodeAsked::tilePixels},
         .collectAfter = "image encode"});
}

}  // namespace lowtide::nodes
