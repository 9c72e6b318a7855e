#include "nodes/encode/image_encode_stage.hpp"

#include "nodes/denoise/latent_preview.hpp"
#include "nodes/engine/finite_checks.hpp"
#include "nodes/engine/joined_pictures.hpp"
#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/nn/feathered_tiles.hpp"
#include "plugin/nn/shape_walk.hpp"
#include "plugin/sampling/pass_part.hpp"
#include "plugin/tensor/crossing.hpp"

#include <ATen/ATen.h>

namespace lowtide::nodes {

namespace {

constexpr const char* kSample = "sample";
constexpr const char* kMean = "mean";
constexpr double kMasked = 0.5;  ///< from here on a pixel is masked

void checkSettings(const ImageEncodeRequest& settings) {
    if (settings.sampling != kSample && settings.sampling != kMean) {
        throw Error(ErrorKind::InvalidInput,
                    "there is no sampling \"" + settings.sampling + "\"",
                    "choose sample or mean",
                    "sampling");
    }
}

/// The pictures as the autoencoder sees them: -1..1, and grey where they are masked.
at::Tensor visiblePixels(const ImageEncodeRequest& request, c10::Device device) {
    const at::Tensor& given = imagesIn(request.image).pixels();
    at::Tensor pixels = tensor::upload(given, device);
    pixels = pixels.is_same(given) ? given * 2 : pixels.mul_(2);
    pixels.sub_(1);
    if (request.mask) {
        pixels.mul_(tensor::upload(masksIn(request.mask).values(), device) < kMasked);
    }
    return pixels;
}

at::Tensor encodeAll(models::StageContext& context,
                     const models::Model& model,
                     const at::Tensor& pixels,
                     const ImageEncodeRequest& request,
                     const StageCall& call,
                     FiniteResult& finite) {
    const auto network = treeIn(model, models::kAutoencoder);
    const auto encode = [&](const at::Tensor& part) {
        return finite.of([&](models::StageContext& own) {
            return passOver(own, *network, part.sizes(), [&] { return model.encode(own, part); });
        });
    };
    const int64_t count = pixels.size(0);
    JoinedPictures moments(count);
    for (int64_t i = 0; i < count; ++i) {
        call.stop.throwIfStoppedBetweenImages();
        const at::Tensor one = pixels.narrow(0, i, 1);
        moments.put(
            i, models::encodeInTiles(one, request.tilePixels, model.info().latent.factor, encode));
        tellProgress(context, *network, call, "encode", i + 1, count);
    }
    return moments.take();
}

/// [B, C, h, w] for pictures [B, 3, H, W] and a mask [1 or B, 1, H, W].
Shape encodedShape(const ImageEncodeRequest& settings) {
    const models::Model& model = modelIn(settings.model);
    const Shape image = shapeOf(settings.image);
    checkSettings(settings);
    requirePictures(model, "encoding");
    Shape shape = latentShapeFor(model, {.width = image[3], .height = image[2]}, image[0], "image");
    if (settings.mask) {
        checkMaskFits(shapeOf(settings.mask), image);
    }
    return shape;
}

bool givesDistribution(const ImageEncodeRequest& settings) {
    return settings.sampling == kSample;
}

StageShapes imageEncodeShapes(const ImageEncodeRequest& request, StageFacts&) {
    const Shape shape = encodedShape(request);
    return {
        .outputs = {latentOutput(
            shape,
            givesDistribution(request) ? std::make_shared<const LatentOutline>(true) : nullptr)}};
}

}  // namespace

WireRef imageEncodeStage(models::StageContext& context,
                         const ImageEncodeRequest& request,
                         const StageCall& call) {
    const models::Model& model = modelIn(request.model);
    const tensor::Images& given = imagesIn(request.image);
    (void)encodedShape(request);
    const auto network = treeIn(model, models::kAutoencoder);
    const c10::Device device = context.deviceOf(*network);
    const at::Tensor pixels = visiblePixels(request, device);
    context.record.put("init.pixels", pixels);
    context.record.putNext("vae.encode_in", pixels);
    FiniteResult finite(context, call, *network);
    const at::Tensor moments = encodeAll(context, model, pixels, request, call, finite);
    context.record.putNext("vae.moments", moments);
    sampling::LatentDistribution seen = forDenoiser(model.info().latent, moments);
    if (!givesDistribution(request)) {
        seen.deviation.reset();
    }
    tensor::Provenance provenance = given.provenance();
    finite.describe(provenance, kEncodeField);
    return std::make_shared<const tensor::Latents>(
        std::move(seen.mean), std::move(provenance), nullptr, std::move(seen.deviation));
}

const StageDef<ImageEncodeRequest>& stageOf(const ImageEncodeRequest&) {
    static const StageDef<ImageEncodeRequest> def{
        .name = "image encode",
        .wires = {{"model", &ImageEncodeRequest::model},
                  {"image", &ImageEncodeRequest::image},
                  {"mask", &ImageEncodeRequest::mask}},
        .source = modelOf<ImageEncodeRequest>,
        .roles = {models::kAutoencoder},
        .shape = imageEncodeShapes,
        .run =
            [](models::StageContext& context,
               const ImageEncodeRequest& request,
               const StageCall& call) {
                return std::vector<WireRef>{imageEncodeStage(context, request, call)};
            },
        .tile = {"tile", &ImageEncodeRequest::tilePixels}};
    return def;
}

}  // namespace lowtide::nodes
