#include "nodes/denoise/latent_preview.hpp"
#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/nn/feathered_tiles.hpp"
#include "plugin/nn/shape_walk.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/crossing.hpp"

#include <utility>

namespace lowtide::nodes {

namespace {

constexpr int64_t kLargestEnlargedSide = 1 << 16;

models::TileSizes upscaleTiles(const UpscaleWithModelRequest& settings,
                               const models::UpscalerInfo& upscaler) {
    const auto refuse = [](const std::string& problem, const char* hint, const char* item) {
        throw Error(ErrorKind::InvalidInput, problem, hint, item);
    };
    if (settings.tilePixels < 0) {
        refuse("the tile is " + std::to_string(settings.tilePixels) + " pixels",
               "choose 0 for the whole picture, or a side in pixels",
               "tile");
    }
    if (settings.tilePixels == 0) {
        return {.multiple = upscaler.multiple};
    }
    if (settings.overlapPixels < 0 || 2 * settings.overlapPixels > settings.tilePixels) {
        refuse("tiles of " + std::to_string(settings.tilePixels) + " pixels cannot overlap by " +
                   std::to_string(settings.overlapPixels),
               "choose an overlap from 0 to half of the tile",
               "overlap");
    }
    return {.side = settings.tilePixels,
            .overlap = settings.overlapPixels,
            .multiple = upscaler.multiple};
}

int64_t enlargedSide(int64_t side, const models::UpscalerInfo& upscaler) {
    if (side > kLargestEnlargedSide / upscaler.scale) {
        throw Error(ErrorKind::InvalidInput,
                    "a side of " + std::to_string(side) + " pixels cannot be made " +
                        std::to_string(upscaler.scale) + " times as long by " + upscaler.name,
                    "connect a picture whose result has sides of at most 65536 pixels",
                    "image");
    }
    return side * upscaler.scale;
}

/// Of pictures [B, 3, H, W].
Shape enlargedShape(const UpscaleWithModelRequest& settings) {
    const models::UpscalerInfo& upscaler = upscalerIn(settings.upscaler).info();
    (void)upscaleTiles(settings, upscaler);
    Shape shape = shapeOf(settings.image);
    for (size_t axis = 2; axis < shape.size(); ++axis) {
        shape[axis] = enlargedSide(shape[axis], upscaler);
    }
    return shape;
}

/// The file without its ending, as A1111 lists upscalers.
std::string shownName(const models::UpscalerInfo& upscaler) {
    return upscaler.name.substr(0, upscaler.name.rfind('.'));
}

void describeUpscale(tensor::Provenance& provenance, const models::UpscalerInfo& upscaler) {
    if (!provenance.fields.empty()) {
        provenance.set("Postprocess upscale by", std::to_string(upscaler.scale));
        provenance.set("Postprocess upscaler", shownName(upscaler));
    }
}

at::Tensor enlargeAll(models::StageContext& context,
                      const models::Upscaler& upscaler,
                      const at::Tensor& pixels,
                      const UpscaleWithModelRequest& request,
                      const StageCall& call) {
    const models::TileSizes tiles = upscaleTiles(request, upscaler.info());
    const int64_t count = pixels.size(0) * tileCount(pixels.size(2), pixels.size(3), tiles);
    int64_t done = 0;
    const auto network = treeIn(upscaler, models::kUpscaler);
    const auto enlarge = [&](const at::Tensor& tile) {
        call.stop.throwIfStopped();
        at::Tensor large = passOver(
            context, *network, tile.sizes(), [&] { return upscaler.enlarge(context, tile); });
        tellProgress(context, *network, call, "tile", ++done, count);
        return large;
    };
    const at::Tensor result = at::zeros(enlargedShape(request), pixels.options());
    for (int64_t i = 0; i < pixels.size(0); ++i) {
        call.stop.throwIfStoppedBetweenImages();
        enlargeInTiles(
            pixels.narrow(0, i, 1), tiles, upscaler.info().scale, enlarge, result.narrow(0, i, 1));
    }
    return result;
}

/// Polls "cancel after this image" between pictures and "now" before every tile. Records
/// upscale_in, upscale_raw (before the clamp) and upscale_out.
std::vector<WireRef> upscaleWithModelStage(models::StageContext& context,
                                           const UpscaleWithModelRequest& request,
                                           const StageCall& call) {
    const models::Upscaler& upscaler = upscalerIn(request.upscaler);
    const tensor::Images& given = imagesIn(request.image);
    const c10::Device device = context.deviceOf(*treeIn(upscaler, models::kUpscaler));
    const at::Tensor pixels = tensor::upload(given.pixels(), device);
    context.record.put("upscale_in", pixels);
    at::Tensor result = enlargeAll(context, upscaler, pixels, request, call);
    context.record.put("upscale_raw", result);
    result.clamp_(0, 1);
    context.record.put("upscale_out", result);
    tensor::Provenance provenance = given.provenance();
    describeUpscale(provenance, upscaler.info());
    return {std::make_shared<const tensor::Images>(std::move(result), std::move(provenance))};
}

StageShapes upscaleWithModelShapes(const UpscaleWithModelRequest& request, StageFacts&) {
    return {.outputs = {outputOf("IMAGE", enlargedShape(request))}};
}

}  // namespace

const StageDef<UpscaleWithModelRequest>& stageOf(const UpscaleWithModelRequest&) {
    static const StageDef<UpscaleWithModelRequest> def{
        .name = "upscale",
        .wires = {{"upscaler", &UpscaleWithModelRequest::upscaler},
                  {"image", &UpscaleWithModelRequest::image}},
        .source =
            [](const UpscaleWithModelRequest& request) {
                return upscalerIn(request.upscaler).shared_from_this();
            },
        .roles = {models::kUpscaler},
        .shape = upscaleWithModelShapes,
        .run = upscaleWithModelStage,
        .tile = {"tile", &UpscaleWithModelRequest::tilePixels}};
    return def;
}

}  // namespace lowtide::nodes
