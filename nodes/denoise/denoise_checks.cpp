#include "nodes/denoise/denoise_checks.hpp"

#include "nodes/control/controlled_source.hpp"
#include "nodes/control/image_prompted_source.hpp"
#include "nodes/denoise/denoise_cache.hpp"
#include "nodes/denoise/denoise_schedule.hpp"
#include "nodes/denoise/inpaint_inputs.hpp"
#include "nodes/engine/controls.hpp"
#include "nodes/engine/image_prompts.hpp"
#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/sampling/sampler.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::nodes {

namespace {

constexpr const char* kStartAt = "start_at";
constexpr const char* kEndAt = "end_at";

void checkStrength(const models::Model& model, const DenoiseAsked& asked) {
    const std::string strength = formatNumber(asked.strength);
    requireThat(asked.strength >= 0 && asked.strength <= 1,
                message("the strength is {}", strength),
                message("choose a number from 0 to 1"),
                "strength");
    requireThat(
        keepsLatent(asked) || asked.strength == 1 || partOf(model, asked).startStep < asked.steps,
        message("a strength of {} takes none of {} steps", strength, asked.steps),
        message("choose a higher strength or more steps, or 0 for the picture as it is"),
        "strength");
    requireThat(asked.strength == 1 || asked.startStep == 0,
                message("both the strength of {} and start_step {} say where to begin",
                        strength,
                        asked.startStep),
                message("set the strength to 1 or start_step to 0"),
                "strength");
}

void checkScheduleShare(double share, const char* param) {
    requireThat(share >= 0 && share <= 1,
                message("{} is {}", param, formatNumber(share)),
                message("choose a share of the schedule from 0 to 1"),
                param);
}

/// Steps and shares, or strength and a share, that say twice where a pass begins or ends.
void checkPart(const DenoiseAsked& asked) {
    checkScheduleShare(asked.startAt, kStartAt);
    checkScheduleShare(asked.endAt, kEndAt);
    const bool hasSteps = asked.startStep != 0 || asked.endStep >= 0;
    const bool hasStart = asked.startAt > 0;
    requireThat(!hasSteps || (!hasStart && asked.endAt == 1),
                message("both steps (start_step {}, end_step {}) and shares (start_at {}, end_at "
                        "{}) say which part to take",
                        asked.startStep,
                        asked.endStep,
                        formatNumber(asked.startAt),
                        formatNumber(asked.endAt)),
                message("set start_step to 0 and end_step to -1, or start_at to 0 and end_at to 1"),
                hasStart ? kStartAt : kEndAt);
    requireThat(!hasStart || asked.strength == 1,
                message("both the strength of {} and start_at {} say where to begin",
                        formatNumber(asked.strength),
                        formatNumber(asked.startAt)),
                message("set the strength to 1 or start_at to 0"),
                kStartAt);
}

void checkNumbers(const models::Model& model, const DenoiseAsked& asked) {
    requireThat(asked.steps >= 1,
                message("the number of steps is {}", asked.steps),
                message("choose at least 1"),
                "steps");
    requireThat(std::isfinite(asked.cfg),
                message("the guidance is no number"),
                message("choose a number, or -1 for the model's usual one"),
                "cfg");
    requireThat(std::isfinite(asked.eta) && asked.eta >= 0,
                message("eta is {}", formatNumber(asked.eta)),
                message("choose a number from 0 to 1"),
                "eta");
    requireThat(std::isfinite(asked.guidanceRescale),
                message("the guidance rescale is no number"),
                message("choose a number from 0 to 1"),
                "guidance_rescale");
    (void)secondExpertFor(model, asked);
    checkStrength(model, asked);
    checkPart(asked);
}

}  // namespace

std::unique_ptr<sampling::Sampler> makeSampler(const models::Model& model,
                                               const DenoiseAsked& asked) {
    checkNumbers(model, asked);
    const sampling::ChosenSampler chosen =
        sampling::chosenSampler(asked.sampler, schedulerFor(model, asked));
    std::unique_ptr<sampling::Sampler> sampler = chosen.type.make(
        chosen.config,
        {.steps = asked.steps,
         .sigmas = asked.sigmas,
         .spacing = asked.spacing,
         .eta = asked.eta,
         .endStep = asked.endStep,
         .keepNoise = asked.keepNoise,
         .strength = spreadsStrength(model, asked) && !keepsLatent(asked) ? asked.strength : 1});
    if (!keepsLatent(asked)) {
        (void)sampling::callsOf(*sampler, partOf(model, asked));
    }
    (void)judgeDenoise(model, asked, *sampler, {});
    return sampler;
}

namespace {

/// Whether a video begins with a picture where its model wants one, and nowhere else.
void checkGuide(const models::Model& model, const GuideOutline& guide, const Shape& latent) {
    const models::ModelInfo& info = model.info();
    const bool hasGuide = !guide.beside.empty();
    requireThat(
        hasGuide || info.guideChannels == 0,
        message("{} makes videos of pictures, and the latent begins with none", info.checkpoint),
        message("connect Video from image, or choose a checkpoint for text to video"),
        "latent");
    if (!hasGuide) {
        return;
    }
    Shape beside = latent;
    beside[0] = 1;
    beside[1] = info.guideChannels;
    const bool isSeen = info.seenPicture.empty()
                            ? guide.seen.empty()
                            : !guide.seen.empty() && std::equal(guide.seen.begin() + 1,
                                                                guide.seen.end(),
                                                                info.seenPicture.begin(),
                                                                info.seenPicture.end());
    requireThat(guide.beside == beside && isSeen,
                message("the latent begins with a picture of another model"),
                message("connect Video from image with the denoiser's own model"),
                "latent");
}

}  // namespace

Shape checkedShape(const models::Model& model, const DenoiseAsked& asked) {
    const WireRef kind = kindOf(asked.latent);
    const EmptyOutline* empty = emptyIn(kind);
    Shape shape =
        empty ? latentShapeFor(model, empty->size, empty->batch, "latent") : shapeOf(asked.latent);
    checkLatents(model, shape);
    checkGuide(model, guideIn(kind), shape);
    requireThat(!emptyIn(kindOf(asked.masked)),
                message("the masked picture is an empty latent, no latent picture"),
                message("connect an encoded picture"),
                "masked");
    checkInpainting(model,
                    asked,
                    {.latent = shape,
                     .isEmpty = empty != nullptr,
                     .mask = shapeOf(asked.mask),
                     .masked = shapeOf(asked.masked)});
    if (const Controls* controls = controlsIn(asked.control)) {
        checkControls(model, *controls, shape);
    }
    if (const ImagePrompts* prompts = imagePromptsIn(asked.imagePrompt)) {
        checkImagePrompts(model, *prompts, shape);
    }
    return shape;
}

}  // namespace lowtide::nodes
