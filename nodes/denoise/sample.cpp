#include "nodes/control/control_forward.hpp"
#include "nodes/control/controlled_source.hpp"
#include "nodes/control/image_prompt_forward.hpp"
#include "nodes/control/image_prompted_source.hpp"
#include "nodes/denoise/denoise.hpp"
#include "nodes/denoise/denoise_cache.hpp"
#include "nodes/denoise/denoise_checks.hpp"
#include "nodes/denoise/denoise_fields.hpp"
#include "nodes/denoise/denoise_notes.hpp"
#include "nodes/denoise/denoise_schedule.hpp"
#include "nodes/denoise/inpaint_inputs.hpp"
#include "nodes/denoise/latent_preview.hpp"
#include "nodes/denoise/merged_denoiser.hpp"
#include "nodes/engine/finite_checks.hpp"
#include "nodes/engine/node_def.hpp"
#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/shared_params.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/model_hashes.hpp"
#include "plugin/memory/component_parts.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/conditioning/conditioning_spec.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/denoise_loop.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/solvers/solver.hpp"
#include "plugin/tensor/generator.hpp"
#include "plugin/tensor/transfer.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

namespace lowtide::nodes {

namespace {

/// Enough for the longest history, of three predictions, a step that reads it, and the last one.
constexpr int kDryRunSteps = 5;

/// With what follows from its model: the usual guidance where it is automatic, and the hashes of
/// weights where `hashes` is not null.
DenoiseAsked askedOfModel(DenoiseAsked asked,
                          models::ModelHashes* hashes,
                          const StopToken& stop = {}) {
    asked.cfg = guidanceOf(modelIn(asked.model).info(), asked.cfg);
    return hashes ? identified(asked, *hashes, stop) : asked;
}

const tensor::Conditioning* negativeIn(const models::Model& model, const DenoiseAsked& asked) {
    const auto second = lowNoiseModelFor(model, asked);
    const bool isGuided = isGuidedAt(model, asked, asked.cfg);
    if (!isGuided && !(second && isGuidedAt(model, asked, second->guidanceScale))) {
        return nullptr;
    }
    const sampling::SolverType* solver = solverFor(model, asked);
    if (solver && solver->uncond == sampling::UncondUse::Always) {
        requireThat(
            asked.negative != nullptr,
            message("{} goes along the negative prompt, and none is connected", solver->label),
            message("connect the negative output of the encoder, or choose a sampler "
                    "without CFG++"),
            "negative");
    }
    requireThat(asked.negative != nullptr,
                message("guidance is {} but there is no negative conditioning",
                        formatNumber(isGuided ? asked.cfg : second->guidanceScale)),
                message("connect the negative output of the encoder, or set the guidance to 1"),
                "negative");
    return &conditioningIn(asked.negative, "negative");
}

/// The latents that the pass begins with, on the denoiser's device.
struct Start {
    at::Tensor samples;
    at::Tensor deviation{};  ///< as tensor::Latents has it
    tensor::Provenance provenance;
    std::shared_ptr<const tensor::SamplerCarry> carry;
    bool isEmpty = false;
    std::shared_ptr<const tensor::ImageConditioning>
        imageConditioning{};  ///< null: no image conditioning
};

Start startOf(const models::Model& model, const memory::WireRef& latent, c10::Device device) {
    if (const auto* empty = dynamic_cast<const tensor::EmptyLatents*>(latent.get())) {
        const at::Tensor zeros =
            at::zeros(latentShapeFor(model, empty->size(), empty->batch(), "latent"),
                      at::TensorOptions(at::kFloat).device(device));
        return {.samples = zeros,
                .provenance = {.rate = empty->rate()},
                .carry = nullptr,
                .isEmpty = true,
                .imageConditioning = empty->imageConditioning()};
    }
    const tensor::Latents& given = latentsIn(latent);
    return {.samples = tensor::upload(given.samples(), device),
            .deviation = tensor::upload(given.deviation(), device),
            .provenance = given.provenance(),
            .carry = given.carry(),
            .isEmpty = false,
            .imageConditioning = given.imageConditioning()};
}

/// The network on the prompts, which merges the predictions of several.
std::unique_ptr<sampling::Denoiser> denoiserFor(models::StageContext& context,
                                                const models::Model& model,
                                                const models::DenoiserRequest& request,
                                                const at::Tensor& latents) {
    RegionalPrompts prompts = regionalPrompts(request.positive,
                                              request.negative,
                                              {.height = latents.size(-2),
                                               .width = latents.size(-1),
                                               .downsampling = model.info().latent.factor});
    if (prompts.isPlain(model.info().guidance)) {
        return model.makeDenoiser(context, request);
    }
    return std::make_unique<MergedDenoiser>(context, model, request, std::move(prompts));
}

/// Another network has its own history, and another scheduler file other levels and solver orders.
std::string scheduleKey(const models::Model& model,
                        const DenoiseAsked& asked,
                        const std::string& sampler) {
    const std::string config =
        schedulerFor(model, asked).dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string networks;
    for (const auto& tree : denoisersOf(model)) {
        networks += tree->weightsId() + "|";
    }
    if (const auto second = lowNoiseModelFor(model, asked)) {
        networks += formatNumber(second->boundary) + "|";
    }
    const bool hasOwnSeeds = asked.batchNoise == sampling::BatchNoise::OwnSeeds;
    return networks + sha256Hex(config) + "|" + sampler + "|" + std::to_string(asked.steps) + "|" +
           asked.sigmas + "|" + asked.spacing + "|" + formatNumber(asked.eta) + "|" +
           std::to_string(asked.seed) + "|" + (hasOwnSeeds ? "each" : "one") + "|" +
           formatNumber(spreadsStrength(model, asked) ? asked.strength : 1);
}

/// At full strength a masked part is made of noise alone, as the reference does.
sampling::DenoiseSettings settingsFor(const models::Model& model,
                                      const DenoiseAsked& asked,
                                      bool isGuided,
                                      const Start& start,
                                      const std::string& sampler,
                                      const StageCall& call) {
    const bool isOfComfyUi = asked.noise == sampling::NoiseWay::ComfyUi;
    return {.guidanceScale = isGuided && isGuidedAt(model, asked, asked.cfg) ? asked.cfg : 1.0,
            .hasGuidanceBelowOne = isOfComfyUi,
            .second = lowNoiseModelFor(model, asked),
            .guidanceRescale = asked.guidanceRescale,
            .seed = asked.seed,
            .batchNoise = asked.batchNoise,
            .noiseWay = asked.noise,
            .part = partOf(model, asked),
            .addNoise = asked.addNoise && asked.startAt == 0,
            .startsEmpty = start.isEmpty || (asked.mask && asked.strength == 1),
            .scheduleKey = scheduleKey(model, asked, sampler),
            .deviation = start.deviation,
            .inpainting = inpaintingFor(model, asked, start.samples, call),
            .cache = stepCacheIn(asked),
            .cachePoints = model.info().cachePoints,
            .scheduler = schedulerText(model, asked, sampler),
            .guidance = model.info().guidance,
            .negatesPrediction = model.info().negatesPrediction,
            .extraChannels =
                start.imageConditioning
                    ? tensor::upload(start.imageConditioning->extraChannels, start.samples.device())
                    : at::Tensor()};
}

StageShapes denoiseShapes(const DenoiseAsked& stated, StageFacts& facts) {
    const DenoiseAsked asked = askedOfModel(stated, facts.hashes);
    const models::Model& model = modelIn(asked.model);
    const auto sampler = makeSampler(model, asked);
    StageShapes shapes;
    shapes.facts = sizeFacts(model.info());
    shapes.fingerprints = guidanceFingerprints(model.info(), stated.cfg);
    for (memory::ComponentPrecision& precision : facts.precisions) {
        if (!memory::matchesRole(models::kDenoisers, precision.role)) {
            continue;
        }
        const memory::Judgement judgement = judgeDenoise(model, asked, *sampler, precision);
        precision.reuse = judgement.reuse;
        if (precision.role == models::kDenoiser) {
            shapes.issues = warningsOf(judgement);
        }
    }
    for (const Issues& more : {scheduleWarnings(model, asked, *sampler),
                               handoverWarnings(asked, kindOf(asked.latent)),
                               refinerWarnings(model, kindOf(asked.latent))}) {
        shapes.issues.insert(shapes.issues.end(), more.begin(), more.end());
    }
    const Shape shape = checkedShape(model, asked);
    for (const Issues& notes :
         {shiftNotes(model, asked),
          sizeNotes(model.info(), shape, emptyIn(kindOf(asked.latent)) != nullptr),
          guidanceNotes(model.info(), stated.cfg)}) {
        shapes.issues.insert(shapes.issues.end(), notes.begin(), notes.end());
    }
    if (keepsLatent(asked)) {
        return {.outputs = {latentOutput(shape, kindOf(asked.latent))}, .runsComponents = false};
    }
    const bool hasCarry = !sampler->alongLevels() && sampling::givesCarry(partOf(model, asked));
    const int history = hasCarry ? sampler->historyLength() : 0;
    const int64_t generators = asked.batchNoise == sampling::BatchNoise::OwnSeeds ? shape.at(0) : 1;
    const ImageConditioningSpec imageConditioning = imageConditioningIn(kindOf(asked.latent));
    executor::ValueSpec latent = latentOutput(
        shape,
        imageConditioning.extraChannels.empty() ? nullptr
                                                : std::make_shared<const LatentSpec>(
                                                      /*isDistribution=*/false, imageConditioning));
    latent.tensors.insert(
        latent.tensors.end(), static_cast<size_t>(history), latent.tensors.front());
    latent.hostBytes = hasCarry ? generators * tensor::NoiseGenerator::stateBytes() : 0;
    shapes.outputs.push_back(std::move(latent));
    return shapes;
}

bool changesWithTime(const WireRef& conditioning, const char* port) {
    if (!conditioning) {
        return false;
    }
    const models::ConditioningSpec spec = specAt(conditioning, port);
    return std::any_of(spec.entries().begin(), spec.entries().end(), [](const auto& entry) {
        return !entry.scope.isAlways();
    });
}

/// Whether images to follow are seen in some steps only.
bool changesWithTime(const ImagePrompts* prompts) {
    return prompts && std::any_of(prompts->entries().begin(),
                                  prompts->entries().end(),
                                  [](const ImagePromptEntry& entry) {
                                      return entry.settings.influence.start > 0 ||
                                             entry.settings.influence.end < 1;
                                  });
}

/// The first steps are enough for every sampler to have its history. Where steps differ, all are
/// dry-run; under control too, which reads its hints before the first one alone.
DryRunFraction shortenDenoise(models::StageContext& context, DenoiseAsked& asked) {
    if (keepsLatent(asked)) {
        return {};
    }
    asked = askedOfModel(asked, context.hashes);
    const models::Model& model = modelIn(asked.model);
    const auto sampler = makeSampler(model, asked);
    sampling::ScheduleRange part = partOf(model, asked);
    const auto callsUntil = [&](int endStep) {
        part.endStep = endStep;
        const auto [first, last] = sampling::callsOf(*sampler, part);
        return last - first;
    };
    const int allCalls = callsUntil(asked.endStep);
    const bool stepsDiffer = asked.stepCache || asked.control || model.info().boundaryRatio > 0 ||
                             changesWithTime(imagePromptsIn(asked.imagePrompt)) ||
                             changesWithTime(asked.positive, "positive") ||
                             changesWithTime(asked.negative, "negative");
    const bool hasScheduleRange = part.startAt > 0 || part.endAt < 1;
    if (sampler->alongLevels()) {
        const int steps = std::min(sampler->stepCount(), kDryRunSteps);
        asked.endStep = stepsDiffer ? asked.endStep : startStepFor(model, asked) + steps;
        return {.all = allCalls, .shortened = makeSampler(model, asked)->callCount()};
    }
    if (!stepsDiffer && !hasScheduleRange) {
        const int steps = sampler->stepCount();
        const int end = asked.endStep < 0 ? steps : std::min(asked.endStep, steps);
        asked.endStep = std::min(end, part.startStep + kDryRunSteps);
    }
    return {.all = allCalls, .shortened = callsUntil(asked.endStep)};
}

/// The latent that came in, without a sampler's state: tensors of its own, on its device.
WireRef keptLatent(const DenoiseAsked& asked) {
    const tensor::Latents& given = latentsIn(asked.latent);
    const at::Tensor& deviation = given.deviation();
    return std::make_shared<const tensor::Latents>(
        given.samples().clone(),
        given.provenance(),
        nullptr,
        deviation.defined() ? deviation.clone() : at::Tensor(),
        copyOf(given.imageConditioning(), given.samples().device()));
}

/// What calls give is looked at behind the calls 1, 2, 4, 8 ... of a run: a bad one ends it before
/// half of its time is lost, and few host waits are made.
void noteCalls(models::StageContext& context,
               const models::Model& model,
               sampling::DenoiseSettings& settings) {
    if (!context.finite) {
        return;
    }
    settings.made =
        [&checks = *context.finite, trees = denoisersOf(model)](
            std::span<const at::Tensor> made, const sampling::StepInfo& step, bool isOfSecond) {
            for (const at::Tensor& each : made) {
                checks.note(isOfSecond ? *trees.back() : *trees.front(),
                            each,
                            {.step = step.step, .steps = step.stepCount});
            }
            if (std::has_single_bit(static_cast<unsigned>(step.taken) + 1)) {
                checks.look({});
            }
        };
}

void reportDenoised(const sampling::DenoiseResult& result, const StageCall& call) {
    if (!call.notify) {
        return;
    }
    call.notify("steps", sampling::toJson(result.steps));
    if (!result.cacheRecord.is_null()) {
        call.notify("cache_record", result.cacheRecord);
    }
    if (!result.errors.empty()) {
        call.notify("teacher_forced", sampling::toJson(result.errors));
    }
}

}  // namespace

WireRef denoiseLatents(models::StageContext& context,
                       const DenoiseAsked& stated,
                       const StageCall& call) {
    const models::Model& model = modelIn(stated.model);
    const DenoiseAsked asked = askedOfModel(stated, context.hashes, call.stop);
    if (context.hashes && !context.dryRun) {
        // Images name the weights: their files are read while the denoiser runs.
        for (const auto& each : denoisersOf(model)) {
            context.hashes->begin(each->networkId());
        }
        for (const NamedFile& named : namedFiles(asked)) {
            context.hashes->begin(hashIdOf(named.file, named.hash));
        }
    }
    const UsedSampler chosen = usedSamplerFor(model, asked);
    const std::unique_ptr<sampling::Sampler> sampler = makeSampler(model, asked);
    const tensor::Conditioning& positive = conditioningIn(asked.positive, "positive");
    const tensor::Conditioning* negative = negativeIn(model, asked);
    (void)checkedShape(model, asked);
    if (keepsLatent(asked)) {
        return keptLatent(asked);
    }
    const auto tree = treeIn(model, models::kDenoiser);
    const c10::Device device = context.deviceOf(*tree);
    Start start = startOf(model, asked.latent, device);
    const sampling::CallRange calls = sampling::callsOf(*sampler, partOf(model, asked));
    const models::SpareCalls accompanied{.latents = start.samples.sizes().vec(),
                                         .factor = model.info().latent.factor,
                                         .isGuided = negative != nullptr,
                                         .count = calls.last - calls.first};
    std::optional<ControlForward> control;
    models::ResidualsFor residuals;
    if (const Controls* controls = controlsIn(asked.control)) {
        control.emplace(context, *controls, accompanied);
        residuals = [&control](const models::ResidualsCall& each) {
            return control->residuals(each);
        };
    }
    std::optional<ImagePromptForward> prompts;
    models::ImagesFor images;
    if (const ImagePrompts* given = imagePromptsIn(asked.imagePrompt)) {
        prompts.emplace(*given, accompanied, device);
        images = [&prompts](const models::ResidualsCall& each) { return prompts->tokensFor(each); };
    }
    sampling::DenoiseSettings settings =
        settingsFor(model, asked, negative != nullptr, start, chosen.name, call);
    const at::Tensor visionEmbeds =
        start.imageConditioning ? start.imageConditioning->visionEmbeds : at::Tensor();
    const Json scheduler = schedulerFor(model, asked);
    const std::unique_ptr<sampling::Denoiser> denoiser =
        denoiserFor(context,
                    model,
                    {.positive = positive,
                     .negative = negative,
                     .image = model.info().latent.sizeOf(start.samples.sizes().vec()),
                     .batch = start.samples.size(0),
                     .cfg = asked.cfg,
                     .second = settings.second,
                     .residuals = residuals,
                     .images = images,
                     .visionEmbeds = visionEmbeds.defined() ? &visionEmbeds : nullptr,
                     .checkpoint = model.info().checkpoint,
                     .scheduler = &scheduler},
                    start.samples);
    settings.accompaniedAt = [&](int taken, uint64_t spoken) {
        const uint64_t controlled = control ? control->runningIn(taken, spoken) : spoken;
        return prompts ? prompts->activeIn(taken, controlled) : controlled;
    };
    noteCalls(context, model, settings);
    if (context.teacher) {
        settings.teacher = models::recordedRunOf(*context.teacher, call.node);
    }
    std::optional<LatentPreview> preview;
    if (call.preview && model.info().latentToRgb) {
        preview.emplace(model.info(), context.previewPace, call.preview);
        settings.look = [&](const std::function<at::Tensor()>& clean, int done, int total) {
            preview->look(clean, done, total, device.is_meta());
        };
    }
    const auto reportStep = [&](int done, int total) {
        reportProgress(context, *tree, call, "step", done, total);
    };
    sampling::DenoiseResult result = sampling::denoise(*sampler,
                                                       *denoiser,
                                                       start.samples,
                                                       settings,
                                                       start.carry,
                                                       call.stop,
                                                       context.record,
                                                       reportStep);
    requireFinite(context, result.latents);
    reportDenoised(result, call);
    describeDenoise(
        start.provenance,
        {.model = model, .asked = asked, .samplerLabel = chosen.label, .samples = start.samples});
    return std::make_shared<const tensor::Latents>(std::move(result.latents),
                                                   std::move(start.provenance),
                                                   std::move(result.carry),
                                                   at::Tensor(),
                                                   copyOf(start.imageConditioning, device));
}

namespace {

ParamDesc stepNumber(std::string id, std::string label, std::string tooltip) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .unit = "steps",
            .min = -1,
            .max = kMostSteps,
            .softMin = -1,
            .softMax = 50,
            .step = 1,
            .advanced = true};
}

ParamDesc fraction(std::string id, std::string label, std::string tooltip) {
    ParamDesc param = fractionParam(std::move(id), std::move(label), std::move(tooltip));
    param.advanced = true;
    return param;
}

std::vector<Field<DenoiseAsked>> denoiseFields() {
    using Asked = DenoiseAsked;
    return {
        input(&Asked::model, {"model", "Model", "Its denoiser is used.", "MODEL"}),
        input(&Asked::positive,
              {"positive", "Positive", "What the image should show.", "CONDITIONING"}),
        input(&Asked::negative,
              {"negative",
               "Negative",
               "What it should not show; needed when guidance is above 1.",
               "CONDITIONING",
               /*optional=*/true}),
        input(&Asked::latent,
              {"latent", "Latent", "The size to fill, or a latent to go on with.", "LATENT"}),
        input(&Asked::mask,
              {"mask",
               "Mask",
               "What of the image is regenerated; the rest is kept.",
               "MASK",
               /*optional=*/true}),
        input(&Asked::masked,
              {"masked",
               "Masked image",
               "The image encoded with the mask, for a checkpoint that fills masks.",
               "LATENT",
               /*optional=*/true}),
        input(&Asked::stepCache,
              {"step_cache",
               "Step cache",
               "Leaves out a part of the network in most steps.",
               "STEP_CACHE",
               /*optional=*/true}),
        input(&Asked::control,
              {"control",
               "Control",
               "Hints that ControlNets follow: edges, depth, poses.",
               "CONTROL",
               /*optional=*/true}),
        input(&Asked::imagePrompt,
              {"image_prompt",
               "Image prompt",
               "What IP-Adapters read in images.",
               "IMAGE_PROMPT",
               /*optional=*/true}),
        param(&Asked::steps, stepsParam()),
        param(&Asked::cfg, guidanceParam()),
        param(&Asked::seed, seedParam("Start of the noise: one seed, one image, on every device.")),
        param(&Asked::strength,
              fractionParam("strength",
                            "Strength",
                            "How much of the image that came in is regenerated: the last steps "
                            "of the schedule that are taken, as a fraction of all; 1 takes them "
                            "all.")),
        choice(&Asked::batchNoise,
               {.id = "batch_seeds",
                .label = "Batch seeds",
                .tooltip = "Where several images get their noise: the first way as other "
                           "programs draw whole batches, the second so that each image can be "
                           "made again alone."},
               {{"one", "One seed for all", sampling::BatchNoise::OneStream},
                {"each", "Seed, seed + 1, ...", sampling::BatchNoise::OwnSeeds}}),
        param(&Asked::sampler, samplerParam()),
        param(&Asked::schedule, scheduleParam()),
        param(&Asked::sigmas, sigmasParam()),
        param(&Asked::spacing, spacingParam()),
        choice(&Asked::noise,
               {.id = "noise",
                .label = "Noise",
                .tooltip = "Whose noise a seed means, and how it is mixed: with a schedule, the "
                           "second way gives the image that ComfyUI makes on the CPU.",
                .advanced = true},
               {{"diffusers", "As diffusers", sampling::NoiseWay::Diffusers},
                {"comfyui", "As ComfyUI", sampling::NoiseWay::ComfyUi}}),
        param(&Asked::startStep,
              stepNumber("start_step", "First step", "Steps before this one are left out.")),
        param(&Asked::endStep,
              stepNumber("end_step", "Last step", "Ends before this step; -1 runs to the end.")),
        param(
            &Asked::startAt,
            fraction(
                "start_at",
                "Start at",
                "Fraction of the schedule that an earlier pass has taken (denoising start), for a "
                "refiner behind a base: goes on from its latent and adds no noise. Instead of "
                "first step.")),
        param(
            &Asked::endAt,
            fraction(
                "end_at",
                "End at",
                "Fraction of the schedule to end at (denoising end), for a base before a refiner: "
                "the noise that is left remains in the latent. Instead of last step.")),
        param(&Asked::addNoise,
              {.id = "add_noise",
               .label = "Add noise",
               .tooltip = "Off: the latent carries its noise already, from an earlier pass.",
               .advanced = true}),
        param(&Asked::keepNoise,
              {.id = "keep_noise",
               .label = "Keep noise",
               .tooltip = "On: leaves the noise of the last step in, for a pass that goes on.",
               .advanced = true}),
        param(
            &Asked::eta,
            fraction("eta",
                     "Eta",
                     "Fraction of fresh noise in every step of DDIM and TCD; 0 is deterministic.")),
        param(&Asked::shift,
              {.id = "shift",
               .label = "Flow shift",
               .tooltip = "How far a flow's noise levels are moved up: more gives motion and shape "
                          "more of the steps. 0 is automatic: what suits the model and the size.",
               .min = 0,
               .max = 100,
               .softMin = 0,
               .softMax = 12,
               .step = 0.5,
               .advanced = true}),
        param(&Asked::cfg2,
              {.id = "cfg_2",
               .label = "Guidance, low noise",
               .tooltip = "Guidance of the low-noise model, which takes the steps with "
                          "less noise; 0 is that of the other model.",
               .min = 0,
               .max = 100,
               .softMin = 0,
               .softMax = 15,
               .step = 0.5,
               .advanced = true}),
        param(&Asked::boundary,
              fraction("boundary",
                       "Boundary",
                       "Fraction of the timesteps below which the low-noise model takes over; 0 is "
                       "the model's own.")),
        param(
            &Asked::guidanceRescale,
            fraction("guidance_rescale",
                     "Guidance rescale",
                     "Brings the contrast of strong guidance back (Lin et al. 2023); 0 is off."))};
}

std::shared_ptr<const models::ComponentSource> denoiseSource(const DenoiseAsked& asked) {
    return withControls(withImagePrompts(modelIn(asked.model), asked.imagePrompt), asked.control);
}

std::vector<WireRef> denoiseStage(models::StageContext& context,
                                  const DenoiseAsked& asked,
                                  const StageCall& call) {
    return {denoiseLatents(context, asked, call)};
}

}  // namespace

executor::NodeType denoiseNode(Stages& stages) {
    return nodeOf<DenoiseAsked>(
        stages,
        {.desc = {.id = "denoise.sample",
                  .label = "Denoise",
                  .category = "Denoise",
                  .tooltip =
                      "Makes a latent image out of noise, step by step, guided by the prompt.",
                  .version = 2,  // levels of flows, and what a strength takes of their steps
                  .components = {"denoiser*", "controlnet*"},
                  .outputs = {{.id = "latent",
                               .label = "Latent",
                               .tooltip = "The denoised latent image.",
                               .type = "LATENT"}}},
         .fields = denoiseFields(),
         .stage = {.name = "denoise",
                   .source = denoiseSource,
                   .roles = {models::kDenoisers},
                   .addedRoles = {models::kControlNets},
                   .shape = denoiseShapes,
                   .run = denoiseStage,
                   .shorten = shortenDenoise},
         .collectAfter = "denoise"});
}

}  // namespace lowtide::nodes
