#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/shared_params.hpp"
#include "plugin/base/error.hpp"
#include "plugin/nn/dry_run.hpp"
#include "plugin/nn/feathered_tiles.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <utility>

namespace lowtide::nodes {

namespace {

struct UpscaleWithModelAsked {
    WireRef upscaler;
    WireRef image;
    int64_t tilePixels = 512;    ///< side of a tile of the image, 0: whole
    int64_t overlapPixels = 64;  ///< of neighbouring tiles; at most half of a tile
    memory::PrecisionChoice precision{};
};

constexpr int64_t kLargestEnlargedSide = 1 << 16;

models::TileSizes upscaleTiles(const UpscaleWithModelAsked& asked,
                               const models::UpscalerInfo& upscaler) {
    const auto refuse = [](const Message& problem, const Message& hint, const char* item) {
        throw Error(ErrorKind::InvalidInput, problem, hint, item);
    };
    if (asked.tilePixels < 0) {
        refuse(message("the tile is {} pixels", asked.tilePixels),
               message("choose 0 for the whole image, or a side in pixels"),
               "tile");
    }
    if (asked.tilePixels == 0) {
        return {.multiple = upscaler.multiple};
    }
    if (asked.overlapPixels < 0 || 2 * asked.overlapPixels > asked.tilePixels) {
        refuse(
            message(
                "tiles of {} pixels cannot overlap by {}", asked.tilePixels, asked.overlapPixels),
            message("choose an overlap from 0 to half of the tile"),
            "overlap");
    }
    return {
        .side = asked.tilePixels, .overlap = asked.overlapPixels, .multiple = upscaler.multiple};
}

int64_t enlargedSide(int64_t side, const models::UpscalerInfo& upscaler) {
    if (side > kLargestEnlargedSide / upscaler.scale) {
        throw Error(ErrorKind::InvalidInput,
                    message("a side of {} pixels cannot be made {} times as long by {}",
                            side,
                            upscaler.scale,
                            upscaler.name),
                    message("connect an image whose result has sides of at most 65536 pixels"),
                    "image");
    }
    return side * upscaler.scale;
}

/// Of images [B, 3, H, W].
Shape enlargedShape(const UpscaleWithModelAsked& asked) {
    const models::UpscalerInfo& upscaler = upscalerIn(asked.upscaler).info();
    (void)upscaleTiles(asked, upscaler);
    Shape shape = shapeOf(asked.image);
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
                      const UpscaleWithModelAsked& asked,
                      const StageCall& call) {
    const models::TileSizes tiles = upscaleTiles(asked, upscaler.info());
    const int64_t count = pixels.size(0) * tileCount(pixels.size(2), pixels.size(3), tiles);
    int64_t done = 0;
    const auto network = treeIn(upscaler, models::kUpscaler);
    const auto enlarge = [&](const at::Tensor& tile) {
        call.stop.throwIfStopped();
        at::Tensor large = skipForward(
            context, *network, tile.sizes(), [&] { return upscaler.enlarge(context, tile); });
        reportProgress(context, *network, call, "tile", ++done, count);
        return large;
    };
    const at::Tensor result = at::zeros(enlargedShape(asked), pixels.options());
    for (int64_t i = 0; i < pixels.size(0); ++i) {
        call.stop.throwIfStoppedBetweenImages();
        enlargeInTiles(
            pixels.narrow(0, i, 1), tiles, upscaler.info().scale, enlarge, result.narrow(0, i, 1));
    }
    return result;
}

/// Polls "cancel after this image" between images and "now" before every tile. Records
/// upscale_in, upscale_raw (before the clamp) and upscale_out.
std::vector<WireRef> upscaleWithModelStage(models::StageContext& context,
                                           const UpscaleWithModelAsked& asked,
                                           const StageCall& call) {
    const models::Upscaler& upscaler = upscalerIn(asked.upscaler);
    const tensor::Images& given = imagesIn(asked.image);
    const c10::Device device = context.deviceOf(*treeIn(upscaler, models::kUpscaler));
    const at::Tensor pixels = tensor::upload(given.pixels(), device);
    context.record.put("upscale_in", pixels);
    at::Tensor result = enlargeAll(context, upscaler, pixels, asked, call);
    context.record.put("upscale_raw", result);
    result.clamp_(0, 1);
    context.record.put("upscale_out", result);
    tensor::Provenance provenance = given.provenance();
    describeUpscale(provenance, upscaler.info());
    return {std::make_shared<const tensor::Images>(std::move(result), std::move(provenance))};
}

StageShapes upscaleWithModelShapes(const UpscaleWithModelAsked& asked, StageFacts&) {
    return {.outputs = {outputOf("IMAGE", enlargedShape(asked))}};
}

std::shared_ptr<const models::ComponentSource> upscalerOfStage(const UpscaleWithModelAsked& asked) {
    return upscalerIn(asked.upscaler).shared_from_this();
}

std::vector<Field<UpscaleWithModelAsked>> upscaleWithModelFields() {
    return {
        input(&UpscaleWithModelAsked::upscaler,
              {"upscaler", "Upscaler", "The network; it decides by how much.", "UPSCALER"}),
        input(&UpscaleWithModelAsked::image, {"image", "Image", "The images.", "IMAGE"}),
        param(&UpscaleWithModelAsked::tilePixels,
              imageTileParam("Side of the tiles of a larger image, enlarged one after the other "
                             "with blended seams; 0 takes it whole. Saves memory and changes "
                             "pixels.")),
        param(&UpscaleWithModelAsked::overlapPixels,
              overlapParam("By how much tiles overlap, at most half of a tile: the more, the "
                           "nearer to the whole image."))};
}

}  // namespace

executor::NodeType upscaleModelNode(Stages& stages) {
    return nodeOf<UpscaleWithModelAsked>(
        stages,
        {.desc = {.id = "upscale.model",
                  .label = "Upscale with model",
                  .category = "Upscale",
                  .tooltip = "Enlarges images with a network that adds detail, in tiles where "
                             "they are large.",
                  .components = {"upscaler"},
                  .outputs = {{.id = "image",
                               .label = "Image",
                               .tooltip = "The enlarged images.",
                               .type = "IMAGE"}}},
         .fields = upscaleWithModelFields(),
         .stage = {.name = "upscale",
                   .source = upscalerOfStage,
                   .roles = {models::kUpscaler},
                   .shape = upscaleWithModelShapes,
                   .run = upscaleWithModelStage,
                   .tilePixels = &UpscaleWithModelAsked::tilePixels},
         .collectAfter = "upscale"});
}

}  // namespace lowtide::nodes
