#include "nodes/denoise/denoise_checks.hpp"

#include "nodes/control/controlled_source.hpp"
#include "nodes/control/image_prompted_source.hpp"
#include "nodes/denoise/denoise_cache.hpp"
#include "nodes/denoise/denoise_schedule.hpp"
#include "nodes/denoise/inpaint_inputs.hpp"
#include "nodes/engine/controls.hpp"
#include "nodes/engine/image_prompts.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/solvers/solver.hpp"

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
        keepsLatent(asked) || asked.strength == 1 || startStepFor(model, asked) < asked.steps,
        message("a strength of {} takes none of {} steps", strength, asked.steps),
        message("choose a higher strength or more steps, or 0 for the image as it is"),
        "strength");
    requireThat(asked.strength == 1 || asked.startStep == 0,
                message("both the strength of {} and start_step {} state where to begin",
                        strength,
                        asked.startStep),
                message("set the strength to 1 or start_step to 0"),
                "strength");
}

void checkScheduleFraction(double fraction, const char* param) {
    requireThat(fraction >= 0 && fraction <= 1,
                message("{} is {}", param, formatNumber(fraction)),
                message("choose a fraction of the schedule from 0 to 1"),
                param);
}

/// Refuses steps and fractions, or strength and a fraction, that both state where a denoising pass
/// begins or ends.
void checkPart(const DenoiseAsked& asked) {
    checkScheduleFraction(asked.startAt, kStartAt);
    checkScheduleFraction(asked.endAt, kEndAt);
    const bool hasSteps = asked.startStep != 0 || asked.endStep >= 0;
    const bool hasStart = asked.startAt > 0;
    requireThat(
        !hasSteps || (!hasStart && asked.endAt == 1),
        message("both steps (start_step {}, end_step {}) and fractions (start_at {}, end_at "
                "{}) state which part to take",
                asked.startStep,
                asked.endStep,
                formatNumber(asked.startAt),
                formatNumber(asked.endAt)),
        message("set start_step to 0 and end_step to -1, or start_at to 0 and end_at to 1"),
        hasStart ? kStartAt : kEndAt);
    requireThat(!hasStart || asked.strength == 1,
                message("both the strength of {} and start_at {} state where to begin",
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
    (void)lowNoiseModelFor(model, asked);
    checkStrength(model, asked);
    checkPart(asked);
}

}  // namespace

std::unique_ptr<sampling::Sampler> makeSampler(const models::Model& model,
                                               const DenoiseAsked& asked) {
    checkNumbers(model, asked);
    if (const sampling::SolverType* solver = solverFor(model, asked)) {
        requireThat(solver->uncond != sampling::UncondUse::Always ||
                        model.info().guidance != sampling::Guidance::Embedded,
                    message("{} goes along the negative prompt, and {} follows none",
                            solver->label,
                            model.info().checkpoint),
                    message("choose a sampler without CFG++"),
                    "sampler");
        std::unique_ptr<sampling::Sampler> sampler = levelSamplerFor(model, asked, *solver);
        (void)judgeDenoise(model, asked, *sampler, {});
        return sampler;
    }
    requireThat(asked.noise == sampling::NoiseWay::Diffusers,
                message("the noise is that of ComfyUI, and the schedule is automatic"),
                message("choose a schedule: simple, normal, karras, ..."),
                "noise");
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

/// Whether a video begins with an image where its model wants one, and nowhere else.
void checkImageConditioning(const models::Model& model,
                            const ImageConditioningSpec& imageConditioning,
                            const Shape& latent) {
    const models::ModelInfo& info = model.info();
    const bool hasImageConditioning = !imageConditioning.extraChannels.empty();
    requireThat(
        hasImageConditioning || info.imageConditioningChannels == 0,
        message("{} makes videos from images, and the latent begins with none", info.checkpoint),
        message("connect Video from image, or choose a checkpoint for text to video"),
        "latent");
    if (!hasImageConditioning) {
        return;
    }
    Shape extraChannels = latent;
    extraChannels[0] = 1;
    extraChannels[1] = info.imageConditioningChannels;
    const bool isSeen = info.visionImage.empty()
                            ? imageConditioning.visionEmbeds.empty()
                            : !imageConditioning.visionEmbeds.empty() &&
                                  std::equal(imageConditioning.visionEmbeds.begin() + 1,
                                             imageConditioning.visionEmbeds.end(),
                                             info.visionImage.begin(),
                                             info.visionImage.end());
    requireThat(imageConditioning.extraChannels == extraChannels && isSeen,
                message("the latent begins with an image of another model"),
                message("connect Video from image with the denoiser's own model"),
                "latent");
}

}  // namespace

Shape checkedShape(const models::Model& model, const DenoiseAsked& asked) {
    const WireRef kind = kindOf(asked.latent);
    const EmptyLatentSpec* empty = emptyIn(kind);
    Shape shape =
        empty ? latentShapeFor(model, empty->size, empty->batch, "latent") : shapeOf(asked.latent);
    checkLatents(model, shape);
    checkImageConditioning(model, imageConditioningIn(kind), shape);
    requireThat(!emptyIn(kindOf(asked.masked)),
                message("the masked image is an empty latent, no latent image"),
                message("connect an encoded image"),
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
