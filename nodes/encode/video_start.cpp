#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/shared_params.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/image_prompts/ip_adapter.hpp"
#include "plugin/image/fit_geometry.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/image_pixels.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

namespace lowtide::nodes {

namespace {

/// A video that begins with an image, and may end with one.
struct VideoStartAsked {
    WireRef model;
    WireRef image;
    WireRef last;  ///< may be null: the model ends it as it likes
    int64_t widthPixels = 832;
    int64_t heightPixels = 480;
    int64_t frames = 81;
    double rate = 16;                           ///< frames a second
    image::FitMode fit = image::FitMode::Crop;  ///< how an image of another shape is brought in
    int64_t tilePixels = 0;                     ///< 0: frames are encoded whole
    memory::PrecisionChoice precision{};
};

constexpr double kGrey = 0.5;
constexpr const char* kLastFrame = "last";

models::ImageSize videoSize(const VideoStartAsked& asked) {
    return {.width = asked.widthPixels, .height = asked.heightPixels, .frames = asked.frames};
}

image::FitGeometry fitOf(const VideoStartAsked& asked, const WireRef& image, const char* port) {
    const Shape shape = shapeOf(image);
    requireThat(shape.size() == 4 && shape[0] == 1,
                message("the input {} is not one image but {}", port, toText(shape)),
                message("connect one image"),
                port);
    return image::fitGeometry({.width = shape[3], .height = shape[2]},
                              {.width = asked.widthPixels, .height = asked.heightPixels},
                              asked.fit,
                              /*multiple=*/1);
}

/// Size of the latent to make, with its image conditioning.
EmptyLatentSpec startSpec(const VideoStartAsked& asked) {
    const models::Model& model = modelIn(asked.model);
    const models::ModelInfo& info = model.info();
    if (info.imageConditioningChannels == 0) {
        refuseVideoStart(model);
    }
    const Shape latent = latentShapeFor(model, videoSize(asked), 1, "width");
    (void)fitOf(asked, asked.image, "image");
    requireThat(
        !asked.last || info.endsWithImage,
        message("{} makes no videos that end with an image", info.checkpoint),
        message("disconnect the last image, or choose a checkpoint for first and last frame"),
        kLastFrame);
    requireThat(
        asked.last || !info.needsLastImage,
        message("{} makes videos between two images, and there is no last one", info.checkpoint),
        message("connect the last image, or choose a checkpoint for image to video"),
        kLastFrame);
    requireThat(asked.tilePixels >= 0,
                message("the tile is {} pixels", asked.tilePixels),
                message("choose 0 or more"),
                "tile");
    if (asked.last) {
        (void)fitOf(asked, asked.last, kLastFrame);
        requireThat(asked.frames > 1,
                    message("a video of one frame cannot begin and end with images"),
                    message("choose more frames"),
                    "frames");
    }
    requireThat(asked.rate > 0 && asked.rate <= kMostRate,
                message("the rate is {}", formatNumber(asked.rate)),
                message("choose a number above 0, at most {}", formatNumber(kMostRate)),
                "rate");
    EmptyLatentSpec spec{.size = videoSize(asked), .rate = asked.rate};
    spec.imageConditioning.extraChannels = latent;
    spec.imageConditioning.extraChannels[1] = info.imageConditioningChannels;
    if (!info.visionImage.empty()) {
        spec.imageConditioning.visionEmbeds = {
            asked.last ? 2 : 1, info.visionImage[0], info.visionImage[1]};
    }
    return spec;
}

/// On levels of 8 bits, as the reference's images are.
at::Tensor frameOf(const VideoStartAsked& asked, const WireRef& image, const char* port) {
    const image::FitGeometry fit = fitOf(asked, image, port);
    const at::Tensor part = imagesIn(image, port)
                                .pixels()
                                .narrow(2, fit.partY, fit.part.height)
                                .narrow(3, fit.partX, fit.part.width);
    const at::Tensor scaled =
        tensor::resizedImage(part.contiguous(), fit.scaled.height, fit.scaled.width);
    if (fit.scaled.height == fit.size.height && fit.scaled.width == fit.size.width) {
        return scaled;
    }
    at::Tensor whole =
        at::full({1, scaled.size(1), fit.size.height, fit.size.width}, kGrey, scaled.options());
    whole.narrow(2, fit.top, fit.scaled.height).narrow(3, fit.left, fit.scaled.width).copy_(scaled);
    return whole;
}

StageShapes videoStartShapes(const VideoStartAsked& asked, StageFacts&) {
    return {.outputs = {latentOutput(startSpec(asked))}};
}

std::vector<WireRef> videoStartStage(models::StageContext& context,
                                     const VideoStartAsked& asked,
                                     const StageCall&) {
    const models::Model& model = modelIn(asked.model);
    const EmptyLatentSpec spec = startSpec(asked);
    const at::Tensor first = frameOf(asked, asked.image, "image");
    const at::Tensor last = asked.last ? frameOf(asked, asked.last, kLastFrame) : at::Tensor();
    tensor::ImageConditioning imageConditioning = model.encodeImageConditioning(
        context,
        {.first = imagesIn(asked.image).pixels(),
         .firstFrame = first,
         .last = asked.last ? &imagesIn(asked.last, kLastFrame).pixels() : nullptr,
         .lastFrame = asked.last ? &last : nullptr,
         .size = spec.size,
         .tilePixels = asked.tilePixels});
    return {std::make_shared<const tensor::EmptyLatents>(
        spec.size,
        spec.batch,
        spec.rate,
        std::make_shared<const tensor::ImageConditioning>(std::move(imageConditioning)))};
}

std::vector<Field<VideoStartAsked>> videoStartFields() {
    return {
        input(&VideoStartAsked::model,
              {"model", "Model", "Its image encoder and its autoencoder are used.", "MODEL"}),
        input(&VideoStartAsked::image, {"image", "First image", "The first frame.", "IMAGE"}),
        input(&VideoStartAsked::last,
              {kLastFrame,
               "Last image",
               "The last frame, for a checkpoint that takes one.",
               "IMAGE",
               /*optional=*/true}),
        param(&VideoStartAsked::widthPixels, videoWidthParam()),
        param(&VideoStartAsked::heightPixels, videoHeightParam()),
        param(&VideoStartAsked::frames, videoFramesParam()),
        param(&VideoStartAsked::rate, videoRateParam()),
        choice(&VideoStartAsked::fit,
               {.id = "fit",
                .label = "Fit",
                .tooltip = "How an image of another shape becomes a frame: its middle cut out, "
                           "grey around it, or stretched."},
               {{"crop", "Crop", image::FitMode::Crop},
                {"pad", "Pad", image::FitMode::Pad},
                {"stretch", "Stretch", image::FitMode::Stretch}}),
        param(&VideoStartAsked::tilePixels,
              tileParam("Side of the tiles to encode one after the other, with blended seams; 0 "
                        "encodes whole frames. Saves memory and changes pixels."))};
}

}  // namespace

executor::NodeType videoStartNode(Stages& stages) {
    return nodeOf<VideoStartAsked>(
        stages,
        {.desc = {.id = "encode.video_start",
                  .label = "Video from image",
                  .category = "Encode",
                  .tooltip = "The size and length of a video to make, and the image that it "
                             "begins with, as the model reads it.",
                  .components = {"image_encoder", "autoencoder"},
                  .outputs = {{.id = "latent",
                               .label = "Latent",
                               .tooltip =
                                   "An empty latent with what the model is given of the images.",
                               .type = "LATENT"}}},
         .fields = videoStartFields(),
         .stage = {.name = "video start",
                   .source = modelOf<VideoStartAsked>,
                   .roles = {models::kAutoencoder},
                   .addedRoles = {models::kImageEncoder},
                   .scopesElsewhere = true,
                   .shape = videoStartShapes,
                   .run = videoStartStage,
                   .tilePixels = &VideoStartAsked::tilePixels},
         .collectAfter = "video start"});
}

}  // namespace lowtide::nodes
