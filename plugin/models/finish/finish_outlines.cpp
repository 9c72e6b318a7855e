#include "plugin/models/finish/finish_outlines.hpp"

#include "plugin/models/finish/detail_stage.hpp"
#include "plugin/models/finish/match_colour_stage.hpp"
#include "plugin/models/finish/sharpen_stage.hpp"
#include "plugin/models/outline_parts.hpp"
#include "plugin/models/precision/stage_precision.hpp"
#include "plugin/models/stage_errors.hpp"
#include "plugin/models/stage_inputs.hpp"
#include "plugin/models/step_cache_input.hpp"
#include "plugin/models/walk/stage_walks.hpp"

namespace lowtide::models {

StageOutline sharpenOutline(const Shape& imageShape, const SharpenRequest& settings) {
    checkSharpen(settings);
    StageOutline outline = outputOf("IMAGE", imageShape);
    outline.walk = [=](const memory::StagePlace& place) {
        return withErrorsOf("sharpen", [&] { return walkSharpen(imageShape, settings, place); });
    };
    return outline;
}

StageOutline matchColourOutline(const Shape& imageShape,
                                const Shape& referenceShape,
                                const MatchColourRequest& settings) {
    checkMatchColour(imageShape, referenceShape, settings);
    StageOutline outline = outputOf("IMAGE", imageShape);
    outline.walk = [=](const memory::StagePlace& place) {
        return withErrorsOf("match colour", [&] {
            return walkMatchColour(imageShape, referenceShape, settings, place);
        });
    };
    return outline;
}

StageOutline detailOutline(const DetailShapes& shapes, const DetailRequest& settings) {
    checkDetail(shapes, settings);
    auto precisions =
        precisionsFor(modelIn(settings.model), {kAutoencoder, kDenoiser}, settings.precision);
    memory::ComponentPrecision& ofDenoiser = precisions.back();
    const memory::Judgement judgement = judgeDetail(settings, ofDenoiser);
    ofDenoiser.reuse = judgement.reuse;
    StageOutline outline = outputOf("IMAGE", shapes.image);
    outline.precisions = precisions;
    outline.issues = warningsOf(judgement);
    const Issues ofSchedule = detailScheduleWarnings(settings);
    outline.issues.insert(outline.issues.end(), ofSchedule.begin(), ofSchedule.end());
    outline.components = networksOf(settings.model, "detail", precisions);
    outline.walk = [=](const memory::StagePlace& place) {
        return withErrorsOf("detail",
                            [&] { return walkDetail(shapes, settings, precisions, place); });
    };
    return outline;
}

}  // namespace lowtide::models
