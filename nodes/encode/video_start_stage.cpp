#include "nodes/encode/video_start_request.hpp"
#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/image/fit_stage.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/image_prompts/ip_adapter.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/picture_pixels.hpp"

#include <ATen/ATen.h>

namespace lowtide::nodes {

namespace {

constexpr double kGrey = 0.5;
constexpr const char* kLastFrame = "last";

models::PictureSize videoSize(const VideoStartRequest& request) {
    return {.width = request.widthPixels, .height = request.heightPixels, .frames = request.frames};
}

FitGeometry fitOf(const VideoStartRequest& request, const WireRef& picture, const char* port) {
    const Shape shape = shapeOf(picture);
    requireThat(shape.size() == 4 && shape[0] == 1,
                std::string("the input ") + port + " is not one picture but " + toText(shape),
                "connect one picture",
                port);
    return fitGeometry({.width = shape[3], .height = shape[2]},
                       {.size = {.width = request.widthPixels, .height = request.heightPixels},
                        .multiple = 1,
                        .mode = request.fit},
                       /*multiple=*/1);
}

/// What the latent will be, with what guides it.
EmptyOutline startOutline(const VideoStartRequest& request) {
    const models::Model& model = modelIn(request.model);
    const models::ModelInfo& info = model.info();
    if (info.guideChannels == 0) {
        refuseVideoStart(model);
    }
    const Shape latent = latentShapeFor(model, videoSize(request), 1, "width");
    (void)fitOf(request, request.image, "image");
    requireThat(!request.last || info.endsWithPicture,
                info.checkpoint + " makes no videos that end with a picture",
                "disconnect the last picture, or choose a checkpoint for first and last frame",
                kLastFrame);
    requireThat(request.last || !info.needsLastPicture,
                info.checkpoint + " makes videos between two pictures, and there is no last one",
                "connect the last picture, or choose a checkpoint for image to video",
                kLastFrame);
    requireThat(request.tilePixels >= 0,
                "the tile is " + std::to_string(request.tilePixels) + " pixels",
                "choose 0 or more",
                "tile");
    if (request.last) {
        (void)fitOf(request, request.last, kLastFrame);
        requireThat(request.frames > 1,
                    "a video of one frame cannot begin and end with pictures",
                    "choose more frames",
                    "frames");
    }
    requireThat(request.rate > 0 && request.rate <= kMostRate,
                "the rate is " + formatNumber(request.rate),
                "choose a number above 0, at most " + formatNumber(kMostRate),
                "rate");
    EmptyOutline outline{.size = videoSize(request), .rate = request.rate};
    outline.guide.beside = latent;
    outline.guide.beside[1] = info.guideChannels;
    if (!info.seenPicture.empty()) {
        outline.guide.seen = {request.last ? 2 : 1, info.seenPicture[0], info.seenPicture[1]};
    }
    return outline;
}

/// On levels of 8 bits, as the reference's pictures are.
at::Tensor frameOf(const VideoStartRequest& request, const WireRef& picture, const char* port) {
    const FitGeometry fit = fitOf(request, picture, port);
    const at::Tensor part = imagesIn(picture, port)
                                .pixels()
                                .narrow(2, fit.partY, fit.part.height)
                                .narrow(3, fit.partX, fit.part.width);
    const at::Tensor scaled =
        tensor::resizedPicture(part.contiguous(), fit.scaled.height, fit.scaled.width);
    if (fit.scaled.height == fit.size.height && fit.scaled.width == fit.size.width) {
        return scaled;
    }
    at::Tensor whole =
        at::full({1, scaled.size(1), fit.size.height, fit.size.width}, kGrey, scaled.options());
    whole.narrow(2, fit.top, fit.scaled.height).narrow(3, fit.left, fit.scaled.width).copy_(scaled);
    return whole;
}

StageShapes videoStartShapes(const VideoStartRequest& request, StageFacts&) {
    return {.outputs = {latentOutput(startOutline(request))}};
}

std::vector<WireRef> videoStartStage(models::StageContext& context,
                                     const VideoStartRequest& request,
                                     const StageCall&) {
    const models::Model& model = modelIn(request.model);
    const EmptyOutline outline = startOutline(request);
    const at::Tensor first = frameOf(request, request.image, "image");
    const at::Tensor last =
        request.last ? frameOf(request, request.last, kLastFrame) : at::Tensor();
    tensor::VideoGuide guide = model.guideVideo(
        context,
        {.first = imagesIn(request.image).pixels(),
         .firstFrame = first,
         .last = request.last ? &imagesIn(request.last, kLastFrame).pixels() : nullptr,
         .lastFrame = request.last ? &last : nullptr,
         .size = outline.size,
         .tilePixels = request.tilePixels});
    return {std::make_shared<const tensor::EmptyLatents>(
        outline.size,
        outline.batch,
        outline.rate,
        std::make_shared<const tensor::VideoGuide>(std::move(guide)))};
}

}  // namespace

const StageDef<VideoStartRequest>& stageOf(const VideoStartRequest&) {
    static const StageDef<VideoStartRequest> def{.name = "video start",
                                                 .wires = {{"model", &VideoStartRequest::model},
                                                           {"image", &VideoStartRequest::image},
                                                           {kLastFrame, &VideoStartRequest::last}},
                                                 .source = modelOf<VideoStartRequest>,
                                                 .roles = {models::kAutoencoder},
                                                 .addedRoles = {models::kImageEncoder},
                                                 .scopesElsewhere = true,
                                                 .shape = videoStartShapes,
                                                 .run = videoStartStage,
                                                 .tile = {"tile", &VideoStartRequest::tilePixels}};
    return def;
}

}  // namespace lowtide::nodes
