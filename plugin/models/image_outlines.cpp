#include "plugin/models/image_outlines.hpp"

#include "plugin/models/denoise_stage.hpp"
#include "plugin/models/image_encode_stage.hpp"
#include "plugin/models/latent_outline.hpp"
#include "plugin/models/mask_stage.hpp"
#include "plugin/models/outline_parts.hpp"
#include "plugin/models/precision/stage_precision.hpp"
#include "plugin/models/stage_errors.hpp"
#include "plugin/models/stage_inputs.hpp"
#include "plugin/models/walk/stage_walks.hpp"
#include "plugin/tensor/picture_pixels.hpp"

namespace lowtide::models {

PictureOutline pictureOutline(int64_t heightPixels, int64_t widthPixels) {
    PictureOutline outline{
        outputOf("IMAGE", {1, tensor::kPictureChannels, heightPixels, widthPixels}),
        outputOf("MASK", {1, 1, heightPixels, widthPixels})};
    outline.walk = [=](const memory::StagePlace& place) {
        return withErrorsOf("load", [&] { return walkPicture(heightPixels, widthPixels, place); });
    };
    return outline;
}

StageOutline imageEncodeOutline(const ImageEncodeShapes& shapes,
                                const ImageEncodeRequest& settings) {
    const Model& known = modelIn(settings.model);
    const auto precisions = precisionsFor(known, {kAutoencoder}, settings.precision);
    StageOutline outline = outputOf("LATENT", encodedShape(known, shapes, settings));
    outline.components = networksOf(settings.model, "image encode", precisions);
    outline.precisions = precisions;
    if (givesDistribution(settings)) {
        outline.outputValue = std::make_shared<const LatentOutline>(true);
        outline.tensors.push_back(outline.tensors.front());
    }
    outline.walk = [=](const memory::StagePlace& place) {
        return withErrorsOf("image encode",
                            [&] { return walkEncodeImage(shapes, settings, precisions, place); });
    };
    return outline;
}

StageOutline maskOutline(const Shape& imageShape, const MaskRequest& settings) {
    StageOutline outline = outputOf("MASK", maskShape(imageShape, settings));
    outline.walk = [=](const memory::StagePlace& place) {
        return withErrorsOf("mask", [&] { return walkMask(imageShape, settings, place); });
    };
    return outline;
}

}  // namespace lowtide::models
