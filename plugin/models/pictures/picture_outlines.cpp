#include "plugin/models/pictures/picture_outlines.hpp"

#include "plugin/models/denoise_stage.hpp"
#include "plugin/models/latent_outline.hpp"
#include "plugin/models/outline_parts.hpp"
#include "plugin/models/pictures/composite_stage.hpp"
#include "plugin/models/pictures/fit_stage.hpp"
#include "plugin/models/pictures/grow_mask_stage.hpp"
#include "plugin/models/pictures/repeat_latent_stage.hpp"
#include "plugin/models/stage_errors.hpp"
#include "plugin/models/walk/stage_walks.hpp"

namespace lowtide::models {

PictureOutline fitOutline(const FitShapes& shapes, const FitRequest& settings) {
    const PixelSize size = fitFor(shapes, settings).size;
    const int64_t masks = shapes.mask.empty() ? 1 : shapes.mask[0];
    PictureOutline outline{
        outputOf("IMAGE", {shapes.image[0], shapes.image[1], size.height, size.width}),
        outputOf("MASK", {masks, 1, size.height, size.width})};
    outline.walk = [=](const memory::StagePlace& place) {
        return withErrorsOf("fit", [&] { return walkFit(shapes, settings, place); });
    };
    return outline;
}

StageOutline compositeOutline(const CompositeShapes& shapes, const CompositeRequest& settings) {
    StageOutline outline = outputOf("IMAGE", compositeShape(shapes));
    outline.walk = [=](const memory::StagePlace& place) {
        return withErrorsOf("composite", [&] { return walkComposite(shapes, settings, place); });
    };
    return outline;
}

StageOutline growMaskOutline(const Shape& maskShape, const MaskGrowRequest& settings) {
    checkMaskGrow(settings);
    StageOutline outline = outputOf("MASK", maskShape);
    outline.walk = [=](const memory::StagePlace& place) {
        return withErrorsOf("mask", [&] { return walkGrowMask(maskShape, settings, place); });
    };
    return outline;
}

StageOutline repeatLatentOutline(const Shape& latentShape,
                                 const WireRef& known,
                                 const LatentRepeatRequest& settings) {
    if (const EmptyOutline* empty = emptyIn(known)) {
        const EmptyOutline repeated{.size = empty->size,
                                    .batch = repeatedShape({empty->batch}, settings).front()};
        return {.outputType = "LATENT",
                .outputValue = std::make_shared<const LatentOutline>(repeated)};
    }
    const Shape shape = repeatedShape(latentShape, settings);
    StageOutline outline = outputOf("LATENT", shape);
    outline.outputValue = known;
    if (isDistribution(known)) {
        outline.tensors.push_back(outline.tensors.front());
    }
    outline.walk = [=](const memory::StagePlace& place) {
        return withErrorsOf("repeat",
                            [&] { return walkRepeat(latentShape, known, settings, place); });
    };
    return outline;
}

}  // namespace lowtide::models
