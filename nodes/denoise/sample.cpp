#include "nodes/shared_params.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

ParamDesc stepNumber(std::string id, std::string label, std::string tooltip, int64_t defaultValue) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .unit = "steps",
            .kind = ParamKind::Int,
            .defaultValue = defaultValue,
            .min = -1,
            .max = kMostSteps,
            .softMin = -1,
            .softMax = 50,
            .step = 1,
            .advanced = true};
}

ParamDesc share(std::string id, std::string label, std::string tooltip, double defaultValue) {
    ParamDesc param =
        fractionParam(std::move(id), std::move(label), std::move(tooltip), defaultValue);
    param.advanced = true;
    return param;
}

ParamDesc flag(std::string id, std::string label, std::string tooltip, bool defaultValue) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .kind = ParamKind::Bool,
            .defaultValue = defaultValue,
            .advanced = true};
}

std::vector<ParamDesc> denoiseParameters(Stages& stages) {
    return {
        stepsParam(),
        guidanceParam(),
        seedParam("Start of the noise: one seed, one picture, on every device."),
        fractionParam("strength",
                      "Strength",
                      "How much of the picture that came in is made anew: the last steps of the "
                      "schedule that are taken, as a share of all; 1 takes them all.",
                      1),
        choiceParam(
            "batch_seeds",
            "Batch seeds",
            "Where several pictures get their noise: the first way as other programs draw whole "
            "batches, the second so that each picture can be made again alone.",
            {{"one", "One seed for all"}, {"each", "Seed, seed + 1, ..."}}),
        samplerParam(stages),
        sigmasParam(),
        spacingParam(),
        stepNumber("start_step", "First step", "Steps before this one are left out.", 0),
        stepNumber("end_step", "Last step", "Ends before this step; -1 runs to the end.", -1),
        share("start_at",
              "Start at",
              "Share of the schedule that a pass before has taken (denoising start), for a refiner "
              "behind a base: goes on from its latent and adds no noise. Instead of first step.",
              0),
        share("end_at",
              "End at",
              "Share of the schedule to end at (denoising end), for a base before a refiner: the "
              "noise that is left stays in the latent. Instead of last step.",
              1),
        flag("add_noise",
             "Add noise",
             "Off: the latent carries its noise already, from a pass before.",
             true),
        flag("keep_noise",
             "Keep noise",
             "On: leaves the noise of the last step in, for a pass that goes on.",
             false),
        share("eta",
              "Eta",
              "Share of fresh noise in every step of DDIM and TCD; 0 is deterministic.",
              0),
        {.id = "shift",
         .label = "Flow shift",
         .tooltip = "How far a flow's noise levels are moved up: more gives motion and shape more "
                    "of the steps. 0 is automatic: what suits the model and the size.",
         .kind = ParamKind::Float,
         .defaultValue = 0.0,
         .min = 0,
         .max = 100,
         .softMin = 0,
         .softMax = 12,
         .step = 0.5,
         .advanced = true},
        {.id = "cfg_2",
         .label = "Guidance, low noise",
         .tooltip = "Guidance of the second of two experts, which takes the steps with "
                    "less noise; 0 is that of the first.",
         .kind = ParamKind::Float,
         .defaultValue = 0.0,
         .min = 0,
         .max = 100,
         .softMin = 0,
         .softMax = 15,
         .step = 0.5,
         .advanced = true},
        share("boundary",
              "Boundary",
              "Share of the timesteps below which the second of two experts takes over; 0 is the "
              "model's own.",
              0),
        share("guidance_rescale",
              "Guidance rescale",
              "Brings the contrast of strong guidance back (Lin et al. 2023); 0 is off.",
              0),
    };
}

NodeDesc describeDenoise(Stages& stages) {
    return {.id = "denoise.sample",
            .label = "Denoise",
            .category = "Denoise",
            .tooltip = "Makes a latent picture out of noise, step by step, guided by the prompt.",
            .version = 2,  // levels of flows, and what a strength takes of their steps
            .components = {"denoiser*", "controlnet*"},
            .inputs = {{.id = "model",
                        .label = "Model",
                        .tooltip = "Its denoiser is used.",
                        .type = "MODEL"},
                       {.id = "positive",
                        .label = "Positive",
                        .tooltip = "What the picture should show.",
                        .type = "CONDITIONING"},
                       {.id = "negative",
                        .label = "Negative",
                        .tooltip = "What it should not show; needed when guidance is above 1.",
                        .type = "CONDITIONING",
                        .optional = true},
                       {.id = "latent",
                        .label = "Latent",
                        .tooltip = "The size to fill, or a latent to go on with.",
                        .type = "LATENT"},
                       {.id = "mask",
                        .label = "Mask",
                        .tooltip = "What of the picture is made anew; the rest stays.",
                        .type = "MASK",
                        .optional = true},
                       {.id = "masked",
                        .label = "Masked picture",
                        .tooltip = "The picture encoded with the mask, for a checkpoint that "
                                   "fills masks.",
                        .type = "LATENT",
                        .optional = true},
                       {.id = "step_cache",
                        .label = "Step cache",
                        .tooltip = "Leaves out a part of the network in most steps.",
                        .type = "STEP_CACHE",
                        .optional = true},
                       {.id = "control",
                        .label = "Control",
                        .tooltip = "Hints that ControlNets follow: edges, depth, poses.",
                        .type = "CONTROL",
                        .optional = true},
                       {.id = "image_prompt",
                        .label = "Image prompt",
                        .tooltip = "What IP-Adapters read in pictures.",
                        .type = "IMAGE_PROMPT",
                        .optional = true}},
            .outputs = {{.id = "latent",
                         .label = "Latent",
                         .tooltip = "The denoised latent picture.",
                         .type = "LATENT"}},
            .params = denoiseParameters(stages)};
}

DenoiseRequest denoiseRequest(const executor::Params& params, const WireAt& wire) {
    return {.model = wire("model"),
            .positive = wire("positive"),
            .negative = wire("negative"),
            .latent = wire("latent"),
            .mask = wire("mask"),
            .masked = wire("masked"),
            .stepCache = wire("step_cache"),
            .control = wire("control"),
            .imagePrompt = wire("image_prompt"),
            .steps = static_cast<int>(params.integer("steps")),
            .cfg = params.number("cfg"),
            .cfg2 = params.number("cfg_2"),
            .boundary = params.number("boundary"),
            .seed = params.seed("seed"),
            .batchSeeds = params.text("batch_seeds"),
            .sampler = params.text("sampler"),
            .sigmas = params.text("sigmas"),
            .spacing = params.text("spacing"),
            .startStep = static_cast<int>(params.integer("start_step")),
            .endStep = static_cast<int>(params.integer("end_step")),
            .addNoise = params.flag("add_noise"),
            .keepNoise = params.flag("keep_noise"),
            .startAt = params.number("start_at"),
            .endAt = params.number("end_at"),
            .eta = params.number("eta"),
            .shift = params.number("shift"),
            .guidanceRescale = params.number("guidance_rescale"),
            .strength = params.number("strength"),
            .precision = params.precision()};
}

}  // namespace

std::vector<executor::NodeType> denoise(Stages& stages) {
    return {stageNode(stages, describeDenoise(stages), denoiseRequest, "denoise")};
}

}  // namespace lowtide::nodes
