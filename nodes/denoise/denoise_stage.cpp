#include "nodes/denoise/denoise_stage.hpp"

#include "nodes/control/control_pass.hpp"
#include "nodes/control/controlled_source.hpp"
#include "nodes/control/image_prompt_pass.hpp"
#include "nodes/control/image_prompted_source.hpp"
#include "nodes/denoise/denoise_request.hpp"
#include "nodes/denoise/inpaint_inputs.hpp"
#include "nodes/denoise/latent_preview.hpp"
#include "nodes/denoise/merged_denoiser.hpp"
#include "nodes/engine/finite_checks.hpp"
#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/picture_fields.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/model_hashes.hpp"
#include "plugin/memory/component_parts.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/conditioning/conditioning_outline.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/denoise_loop.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/generator.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::nodes {

namespace {

/// Enough for the longest history, of three predictions, a step that reads it, and the last one.
constexpr int kWalkedSteps = 5;

constexpr const char* kStartAt = "start_at";
constexpr const char* kEndAt = "end_at";

/// Of those that a strength takes, in the arithmetic of diffusers' get_timesteps.
int firstStepOf(const models::Model& model, const DenoiseRequest& request) {
    const double taken = request.steps * request.strength;
    return model.info().roundsStrengthUp ? static_cast<int>(std::max(request.steps - taken, 0.0))
                                         : request.steps - static_cast<int>(taken);
}

/// Whether the strength bounds the timesteps instead of leaving steps out.
bool spreadsStrength(const models::Model& model, const DenoiseRequest& request) {
    return model.info().spreadsStrength && !request.mask &&
           sampling::samplerNamed(request.sampler, schedulerFor(model, request)).takesStrength;
}

void checkStrength(const models::Model& model, const DenoiseRequest& request) {
    const std::string strength = formatNumber(request.strength);
    requireThat(request.strength >= 0 && request.strength <= 1,
                "the strength is " + strength,
                "choose a number from 0 to 1",
                "strength");
    requireThat(
        keepsLatent(request) || request.strength == 1 ||
            partOf(model, request).startStep < request.steps,
        "a strength of " + strength + " takes none of " + std::to_string(request.steps) + " steps",
        "choose a higher strength or more steps, or 0 for the picture as it is",
        "strength");
    requireThat(request.strength == 1 || request.startStep == 0,
                "both the strength of " + strength + " and start_step " +
                    std::to_string(request.startStep) + " say where to begin",
                "set the strength to 1 or start_step to 0",
                "strength");
}

void checkScheduleShare(double share, const char* param) {
    requireThat(share >= 0 && share <= 1,
                std::string(param) + " is " + formatNumber(share),
                "choose a share of the schedule from 0 to 1",
                param);
}

/// Steps and shares, or strength and a share, that say twice where a pass begins or ends.
void checkPart(const DenoiseRequest& request) {
    checkScheduleShare(request.startAt, kStartAt);
    checkScheduleShare(request.endAt, kEndAt);
    const std::string startAt = std::string(kStartAt) + " " + formatNumber(request.startAt);
    const std::string steps = "start_step " + std::to_string(request.startStep) + ", end_step " +
                              std::to_string(request.endStep);
    const bool hasSteps = request.startStep != 0 || request.endStep >= 0;
    const bool hasStart = request.startAt > 0;
    requireThat(!hasSteps || (!hasStart && request.endAt == 1),
                "both steps (" + steps + ") and shares (" + startAt + ", end_at " +
                    formatNumber(request.endAt) + ") say which part to take",
                "set start_step to 0 and end_step to -1, or start_at to 0 and end_at to 1",
                hasStart ? kStartAt : kEndAt);
    requireThat(!hasStart || request.strength == 1,
                "both the strength of " + formatNumber(request.strength) + " and " + startAt +
                    " say where to begin",
                "set the strength to 1 or start_at to 0",
                kStartAt);
}

void checkNumbers(const models::Model& model, const DenoiseRequest& request) {
    requireThat(request.steps >= 1,
                "the number of steps is " + std::to_string(request.steps),
                "choose at least 1",
                "steps");
    requireThat(std::isfinite(request.cfg),
                "the guidance is no number",
                "choose a number, 7.5 is usual",
                "cfg");
    requireThat(std::isfinite(request.eta) && request.eta >= 0,
                "eta is " + formatNumber(request.eta),
                "choose a number from 0 to 1",
                "eta");
    requireThat(std::isfinite(request.guidanceRescale),
                "the guidance rescale is no number",
                "choose a number from 0 to 1",
                "guidance_rescale");
    (void)secondExpertFor(model, request);
    checkStrength(model, request);
    checkPart(request);
}

const tensor::Conditioning* negativeIn(const models::Model& model, const DenoiseRequest& request) {
    const auto second = secondExpertFor(model, request);
    const bool isGuided = model.guides(request.cfg);
    if (!isGuided && !(second && model.guides(second->guidanceScale))) {
        return nullptr;
    }
    requireThat(request.negative != nullptr,
                "guidance is " + formatNumber(isGuided ? request.cfg : second->guidanceScale) +
                    " but there is no negative conditioning",
                "connect the negative output of the encoder, or set the guidance to 1",
                "negative");
    return &conditioningIn(request.negative, "negative");
}

/// The latents that the pass begins with, on the denoiser's device.
struct Start {
    at::Tensor samples;
    at::Tensor deviation{};  ///< as tensor::Latents has it
    tensor::Provenance provenance;
    std::shared_ptr<const tensor::SamplerCarry> carry;
    bool isEmpty = false;
    std::shared_ptr<const tensor::VideoGuide> guide{};  ///< null: no picture guides it
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
                .guide = empty->guide()};
    }
    const tensor::Latents& given = latentsIn(latent);
    return {.samples = tensor::upload(given.samples(), device),
            .deviation = tensor::upload(given.deviation(), device),
            .provenance = given.provenance(),
            .carry = given.carry(),
            .isEmpty = false,
            .guide = given.guide()};
}

/// The network on the prompts, which merges the predictions of several.
std::unique_ptr<sampling::Denoiser> denoiserFor(models::StageContext& context,
                                                const models::Model& model,
                                                const models::DenoiserRequest& request,
                                                const at::Tensor& latents) {
    PlacedPrompts prompts = placePrompts(request.positive,
                                         request.negative,
                                         {.height = latents.size(-2),
                                          .width = latents.size(-1),
                                          .downsampling = model.info().latent.factor});
    if (prompts.isPlain()) {
        return model.makeDenoiser(context, request);
    }
    return std::make_unique<MergedDenoiser>(context, model, request, std::move(prompts));
}

/// Another network has its own history, and another scheduler file other levels and solver orders.
std::string scheduleKey(const models::Model& model,
                        const DenoiseRequest& request,
                        const std::string& sampler) {
    const std::string config =
        schedulerFor(model, request).dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string networks;
    for (const auto& tree : denoisersOf(model)) {
        networks += tree->weightsId() + "|";
    }
    if (const auto second = secondExpertFor(model, request)) {
        networks += formatNumber(second->boundary) + "|";
    }
    return networks + sha256Hex(config) + "|" + sampler + "|" + std::to_string(request.steps) +
           "|" + request.sigmas + "|" + request.spacing + "|" + formatNumber(request.eta) + "|" +
           std::to_string(request.seed) + "|" + request.batchSeeds + "|" +
           formatNumber(spreadsStrength(model, request) ? request.strength : 1);
}

/// At full strength a masked part is made of noise alone, as the reference does.
sampling::DenoiseSettings settingsFor(const models::Model& model,
                                      const DenoiseRequest& request,
                                      bool isGuided,
                                      const Start& start,
                                      const std::string& sampler,
                                      const StageCall& call) {
    return {.guidanceScale = isGuided && model.guides(request.cfg) ? request.cfg : 1.0,
            .second = secondExpertFor(model, request),
            .guidanceRescale = request.guidanceRescale,
            .seed = request.seed,
            .batchNoise = batchNoiseNamed(request.batchSeeds),
            .part = partOf(model, request),
            .addNoise = request.addNoise && request.startAt == 0,
            .startsEmpty = start.isEmpty || (request.mask && request.strength == 1),
            .scheduleKey = scheduleKey(model, request, sampler),
            .deviation = start.deviation,
            .inpainting = inpaintingFor(model, request, start.samples, call),
            .cache = stepCacheIn(request),
            .cachePoints = model.info().cachePoints,
            .scheduler = schedulerText(request, sampler),
            .guidance = model.info().guidance,
            .negatesPrediction = model.info().negatesPrediction,
            .beside = start.guide ? tensor::upload(start.guide->beside, start.samples.device())
                                  : at::Tensor()};
}

/// Whether a video begins with a picture where its model wants one, and nowhere else.
void checkGuide(const models::Model& model, const GuideOutline& guide, const Shape& latent) {
    const models::ModelInfo& info = model.info();
    const bool hasGuide = !guide.beside.empty();
    requireThat(hasGuide || info.guideChannels == 0,
                info.checkpoint + " makes videos of pictures, and the latent begins with none",
                "connect Video from image, or choose a checkpoint for text to video",
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
                "the latent begins with a picture of another model",
                "connect Video from image with the denoiser's own model",
                "latent");
}

/// Before anything goes to the device: the shape of the latents, and whether they go with the rest.
Shape checkedShape(const models::Model& model, const DenoiseRequest& request) {
    const WireRef kind = kindOf(request.latent);
    const EmptyOutline* empty = emptyIn(kind);
    Shape shape = empty ? latentShapeFor(model, empty->size, empty->batch, "latent")
                        : shapeOf(request.latent);
    checkLatents(model, shape);
    checkGuide(model, guideIn(kind), shape);
    requireThat(!emptyIn(kindOf(request.masked)),
                "the masked picture is an empty latent, no latent picture",
                "connect an encoded picture",
                "masked");
    checkInpainting(model,
                    request,
                    {.latent = shape,
                     .isEmpty = empty != nullptr,
                     .mask = shapeOf(request.mask),
                     .masked = shapeOf(request.masked)});
    if (const Controls* controls = controlsIn(request.control)) {
        checkControls(model, *controls, shape);
    }
    if (const ImagePrompts* prompts = imagePromptsIn(request.imagePrompt)) {
        checkImagePrompts(model, *prompts, shape);
    }
    return shape;
}

/// With the hash of its weights, for its step cache. A kept result, which never runs, is known by
/// them too. The pictures of one name its files.
DenoiseRequest identified(const DenoiseRequest& request,
                          models::ModelHashes& hashes,
                          const StopToken& stop) {
    std::vector<std::string> ids;
    for (const auto& tree : denoisersOf(modelIn(request.model))) {
        hashes.know(*tree);
        ids.push_back(tree->networkId());
    }
    for (const NamedFile& named : namedFiles(request)) {
        hashes.know(named.file, named.hash);
    }
    return withWeightsHash(request, [&hashes, stop, ids] {
        std::vector<std::string> digests;
        for (const std::string& id : ids) {
            digests.push_back(hashes.digestOf(id, stop));
        }
        return digests.size() == 1 ? digests.front() : sha256Hex(join(digests, ""));
    });
}

StageShapes denoiseShapes(const DenoiseRequest& asked, StageFacts& facts) {
    const DenoiseRequest request = facts.hashes ? identified(asked, *facts.hashes, {}) : asked;
    const models::Model& model = modelIn(request.model);
    const auto sampler = makeSampler(model, request);
    StageShapes shapes;
    for (memory::ComponentPrecision& precision : facts.precisions) {
        if (!memory::matchesRole(models::kDenoisers, precision.role)) {
            continue;
        }
        const memory::Judgement judgement = judgeDenoise(model, request, *sampler, precision);
        precision.reuse = judgement.reuse;
        if (precision.role == models::kDenoiser) {
            shapes.issues = warningsOf(judgement);
        }
    }
    for (const Issues& more : {scheduleWarnings(model, request, *sampler),
                               handoverWarnings(request, kindOf(request.latent)),
                               refinerWarnings(model, kindOf(request.latent))}) {
        shapes.issues.insert(shapes.issues.end(), more.begin(), more.end());
    }
    const Shape shape = checkedShape(model, request);
    for (const Issues& notes :
         {shiftNotes(model, request),
          sizeNotes(model.info(), shape, emptyIn(kindOf(request.latent)) != nullptr),
          guidanceNotes(model.info(), request.cfg)}) {
        shapes.issues.insert(shapes.issues.end(), notes.begin(), notes.end());
    }
    if (keepsLatent(request)) {
        return {.outputs = {latentOutput(shape, kindOf(request.latent))}, .runsComponents = false};
    }
    const bool hasCarry = sampling::givesCarry(partOf(model, request));
    const int history = hasCarry ? sampler->historyLength() : 0;
    const int64_t generators = request.batchSeeds == "each" ? shape.at(0) : 1;
    const GuideOutline guide = guideIn(kindOf(request.latent));
    StageOutput latent = latentOutput(shape,
                                      guide.beside.empty() ? nullptr
                                                           : std::make_shared<const LatentOutline>(
                                                                 /*isDistribution=*/false, guide));
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
    const models::ConditioningOutline outline =
        outlineOf(conditioningShapeOf(conditioning, port), port);
    return std::any_of(outline.entries().begin(), outline.entries().end(), [](const auto& entry) {
        return !entry.scope.isAlways();
    });
}

/// Where pictures are seen in some steps alone.
bool changesWithTime(const ImagePrompts* prompts) {
    return prompts && std::any_of(prompts->entries().begin(),
                                  prompts->entries().end(),
                                  [](const ImagePromptEntry& entry) {
                                      return entry.settings.influence.start > 0 ||
                                             entry.settings.influence.end < 1;
                                  });
}

/// The first steps are enough for every sampler to have its history. Where steps differ, all are
/// walked; under control too, which reads its hints before the first one alone.
WalkedShare shortenDenoise(models::StageContext& context, DenoiseRequest& request) {
    if (keepsLatent(request)) {
        return {};
    }
    if (context.hashes) {
        request = identified(request, *context.hashes, {});
    }
    const models::Model& model = modelIn(request.model);
    const auto sampler = makeSampler(model, request);
    sampling::PassPart part = partOf(model, request);
    const auto callsUntil = [&](int endStep) {
        part.endStep = endStep;
        const auto [first, last] = sampling::callsOf(*sampler, part);
        return last - first;
    };
    const int allCalls = callsUntil(request.endStep);
    const bool stepsDiffer = request.stepCache || request.control ||
                             model.info().boundaryRatio > 0 ||
                             changesWithTime(imagePromptsIn(request.imagePrompt)) ||
                             changesWithTime(request.positive, "positive") ||
                             changesWithTime(request.negative, "negative");
    const bool hasShares = part.startAt > 0 || part.endAt < 1;
    if (!stepsDiffer && !hasShares) {
        const int steps = sampler->stepCount();
        const int end = request.endStep < 0 ? steps : std::min(request.endStep, steps);
        request.endStep = std::min(end, part.startStep + kWalkedSteps);
    }
    return {.all = allCalls, .walked = callsUntil(request.endStep)};
}

}  // namespace

sampling::PassPart partOf(const models::Model& model, const DenoiseRequest& request) {
    const bool takesLastSteps = request.strength < 1 && !spreadsStrength(model, request);
    return {.startStep = takesLastSteps ? firstStepOf(model, request) : request.startStep,
            .endStep = request.endStep,
            .keepNoise = request.keepNoise,
            .startAt = request.startAt,
            .endAt = request.endAt};
}

bool keepsLatent(const DenoiseRequest& request) {
    return request.strength == 0;
}

/// The latent that came in, without a sampler's state: tensors of its own, on its device.
WireRef keptLatent(const DenoiseRequest& request) {
    const tensor::Latents& given = latentsIn(request.latent);
    const at::Tensor& deviation = given.deviation();
    return std::make_shared<const tensor::Latents>(
        given.samples().clone(),
        given.provenance(),
        nullptr,
        deviation.defined() ? deviation.clone() : at::Tensor(),
        copyOf(given.guide(), given.samples().device()));
}

sampling::BatchNoise batchNoiseNamed(const std::string& name) {
    const bool isOwn = name == "each";
    requireThat(isOwn || name == "one",
                "there is no way \"" + name + "\" to give a batch its seeds",
                "choose one or each",
                "batch_seeds");
    return isOwn ? sampling::BatchNoise::OwnSeeds : sampling::BatchNoise::OneStream;
}

std::unique_ptr<sampling::Sampler> makeSampler(const models::Model& model,
                                               const DenoiseRequest& request) {
    checkNumbers(model, request);
    (void)batchNoiseNamed(request.batchSeeds);
    const sampling::ChosenSampler chosen =
        sampling::chosenSampler(request.sampler, schedulerFor(model, request));
    std::unique_ptr<sampling::Sampler> sampler = chosen.type.make(
        chosen.config,
        {.steps = request.steps,
         .sigmas = request.sigmas,
         .spacing = request.spacing,
         .eta = request.eta,
         .endStep = request.endStep,
         .keepNoise = request.keepNoise,
         .strength =
             spreadsStrength(model, request) && !keepsLatent(request) ? request.strength : 1});
    if (!keepsLatent(request)) {
        (void)sampling::callsOf(*sampler, partOf(model, request));
    }
    (void)judgeDenoise(model, request, *sampler, {});
    return sampler;
}

WireRef denoiseStage(models::StageContext& context,
                     const DenoiseRequest& asked,
                     const StageCall& call) {
    const models::Model& model = modelIn(asked.model);
    const DenoiseRequest request =
        context.hashes ? identified(asked, *context.hashes, call.stop) : asked;
    if (context.hashes && !context.walk) {
        // Pictures name the weights: their files are read while the denoiser runs.
        for (const auto& each : denoisersOf(model)) {
            context.hashes->begin(each->networkId());
        }
        for (const NamedFile& named : namedFiles(request)) {
            context.hashes->begin(hashIdOf(named.file, named.hash));
        }
    }
    const sampling::ChosenSampler chosen =
        sampling::chosenSampler(request.sampler, schedulerFor(model, request));
    const std::unique_ptr<sampling::Sampler> sampler = makeSampler(model, request);
    const tensor::Conditioning& positive = conditioningIn(request.positive, "positive");
    const tensor::Conditioning* negative = negativeIn(model, request);
    (void)checkedShape(model, request);
    if (keepsLatent(request)) {
        return keptLatent(request);
    }
    const auto tree = treeIn(model, models::kDenoiser);
    const c10::Device device = context.deviceOf(*tree);
    Start start = startOf(model, request.latent, device);
    const sampling::CallRange calls = sampling::callsOf(*sampler, partOf(model, request));
    const models::PassCalls accompanied{.latents = start.samples.sizes().vec(),
                                        .factor = model.info().latent.factor,
                                        .isGuided = negative != nullptr,
                                        .count = calls.last - calls.first};
    std::optional<ControlPass> control;
    models::ResidualsFor residuals;
    if (const Controls* controls = controlsIn(request.control)) {
        control.emplace(context, *controls, accompanied);
        residuals = [&control](const models::ResidualsCall& each) {
            return control->residuals(each);
        };
    }
    std::optional<ImagePromptPass> prompts;
    models::PicturesFor pictures;
    if (const ImagePrompts* given = imagePromptsIn(request.imagePrompt)) {
        prompts.emplace(*given, accompanied, device);
        pictures = [&prompts](const models::ResidualsCall& each) {
            return prompts->tokensFor(each);
        };
    }
    sampling::DenoiseSettings settings =
        settingsFor(model, request, negative != nullptr, start, chosen.type.name, call);
    const at::Tensor seen = start.guide ? start.guide->seen : at::Tensor();
    const Json scheduler = schedulerFor(model, request);
    std::unique_ptr<sampling::Denoiser> denoiser =
        denoiserFor(context,
                    model,
                    {.positive = positive,
                     .negative = negative,
                     .picture = model.info().latent.sizeOf(start.samples.sizes().vec()),
                     .batch = start.samples.size(0),
                     .cfg = request.cfg,
                     .second = settings.second,
                     .residuals = residuals,
                     .pictures = pictures,
                     .seen = seen.defined() ? &seen : nullptr,
                     .checkpoint = model.info().checkpoint,
                     .scheduler = &scheduler},
                    start.samples);
    settings.accompaniedAt = [&](int taken, uint64_t spoken) {
        const uint64_t controlled = control ? control->runningIn(taken, spoken) : spoken;
        return prompts ? prompts->seenIn(taken, controlled) : controlled;
    };
    denoiser = noted(context, std::move(denoiser), denoisersOf(model), settings.second);
    if (context.teacher) {
        settings.teacher = models::recordedPassOf(*context.teacher, call.node);
    }
    std::optional<LatentPreview> preview;
    if (call.preview && model.info().latentToRgb) {
        preview.emplace(model.info(), context.previewPace, call.preview);
        settings.look = [&](const std::function<at::Tensor()>& clean, int done, int total) {
            preview->look(clean, done, total, device.is_meta());
        };
    }
    const auto tellStep = [&](int done, int total) {
        tellProgress(context, *tree, call, "step", done, total);
    };
    sampling::DenoiseResult result = sampling::denoise(*sampler,
                                                       *denoiser,
                                                       start.samples,
                                                       settings,
                                                       start.carry,
                                                       call.stop,
                                                       context.record,
                                                       tellStep);
    requireFinite(context, result.latents);
    tellDenoised(result, call);
    describeDenoise(start.provenance,
                    {.model = model,
                     .request = request,
                     .samplerLabel = chosen.facts.label,
                     .samples = start.samples});
    return std::make_shared<const tensor::Latents>(std::move(result.latents),
                                                   std::move(start.provenance),
                                                   std::move(result.carry),
                                                   at::Tensor(),
                                                   copyOf(start.guide, device));
}

const StageDef<DenoiseRequest>& stageOf(const DenoiseRequest&) {
    static const StageDef<DenoiseRequest> def{
        .name = "denoise",
        .wires = {{"model", &DenoiseRequest::model},
                  {"positive", &DenoiseRequest::positive},
                  {"negative", &DenoiseRequest::negative},
                  {"latent", &DenoiseRequest::latent},
                  {"mask", &DenoiseRequest::mask},
                  {"masked", &DenoiseRequest::masked},
                  {"step_cache", &DenoiseRequest::stepCache},
                  {"control", &DenoiseRequest::control},
                  {"image_prompt", &DenoiseRequest::imagePrompt}},
        .source =
            [](const DenoiseRequest& request) {
                return withControls(withImagePrompts(modelIn(request.model), request.imagePrompt),
                                    request.control);
            },
        .roles = {models::kDenoisers},
        .addedRoles = {models::kControlNets},
        .shape = denoiseShapes,
        .run =
            [](models::StageContext& context,
               const DenoiseRequest& request,
               const StageCall& call) {
                return std::vector<WireRef>{denoiseStage(context, request, call)};
            },
        .shorten = shortenDenoise};
    return def;
}

}  // namespace lowtide::nodes
