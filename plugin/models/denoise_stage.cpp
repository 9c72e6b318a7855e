#include "plugin/models/denoise_stage.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/base/text.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/models/conditioning/merged_denoiser.hpp"
#include "plugin/models/inpaint_inputs.hpp"
#include "plugin/models/latent_preview.hpp"
#include "plugin/models/picture_fields.hpp"
#include "plugin/models/recorded_pass.hpp"
#include "plugin/models/stage_inputs.hpp"
#include "plugin/models/stage_progress.hpp"
#include "plugin/models/step_cache_input.hpp"
#include "plugin/sampling/denoise_loop.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/tensor/crossing.hpp"

#include <cmath>

namespace lowtide::models {

namespace {

constexpr const char* kStartAt = "start_at";
constexpr const char* kEndAt = "end_at";

/// Whether the strength bounds the timesteps instead of leaving steps out.
bool spreadsStrength(const Model& model, const DenoiseRequest& request) {
    return model.info().spreadsStrength && !request.mask &&
           sampling::samplerNamed(request.sampler, model.info().schedulerConfig).takesStrength;
}

void checkStrength(const Model& model, const DenoiseRequest& request) {
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

void checkNumbers(const Model& model, const DenoiseRequest& request) {
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
    checkStrength(model, request);
    checkPart(request);
}

const tensor::Conditioning* negativeIn(const Model& model, const DenoiseRequest& request) {
    if (!model.guidesByBatch(request.cfg)) {
        return nullptr;
    }
    requireThat(
        request.negative != nullptr,
        "guidance is " + formatNumber(request.cfg) + " but there is no negative conditioning",
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
};

Start startOf(const Model& model, const memory::WireRef& latent, c10::Device device) {
    if (const auto* empty = dynamic_cast<const tensor::EmptyLatents*>(latent.get())) {
        const at::Tensor zeros =
            at::zeros(latentShapeFor(model, empty->size(), empty->batch(), "latent"),
                      at::TensorOptions(at::kFloat).device(device));
        return {.samples = zeros, .provenance = {}, .carry = nullptr, .isEmpty = true};
    }
    const tensor::Latents& given = latentsIn(latent);
    return {.samples = tensor::upload(given.samples(), device),
            .deviation = tensor::upload(given.deviation(), device),
            .provenance = given.provenance(),
            .carry = given.carry(),
            .isEmpty = false};
}

/// The network on the prompts, which merges the predictions of several.
std::unique_ptr<sampling::Denoiser> denoiserFor(StageContext& context,
                                                const Model& model,
                                                const DenoiserRequest& request,
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
std::string scheduleKey(const Model& model,
                        const DenoiseRequest& request,
                        const std::string& sampler) {
    const std::string config =
        model.info().schedulerConfig.dump(-1, ' ', false, Json::error_handler_t::replace);
    return treeIn(model, kDenoiser)->weightsId() + "|" + sha256Hex(config) + "|" + sampler + "|" +
           std::to_string(request.steps) + "|" + request.sigmas + "|" + request.spacing + "|" +
           formatNumber(request.eta) + "|" + std::to_string(request.seed) + "|" +
           request.batchSeeds + "|" +
           formatNumber(spreadsStrength(model, request) ? request.strength : 1);
}

/// At full strength a masked part is made of noise alone, as the reference does.
sampling::DenoiseSettings settingsFor(const Model& model,
                                      const DenoiseRequest& request,
                                      bool isGuided,
                                      const Start& start,
                                      const std::string& sampler) {
    return {.guidanceScale = isGuided ? request.cfg : 1.0,
            .guidanceRescale = request.guidanceRescale,
            .seed = request.seed,
            .batchNoise = batchNoiseNamed(request.batchSeeds),
            .part = partOf(model, request),
            .addNoise = request.addNoise && request.startAt == 0,
            .startsEmpty = start.isEmpty || (request.mask && request.strength == 1),
            .scheduleKey = scheduleKey(model, request, sampler),
            .deviation = start.deviation,
            .inpainting = inpaintingFor(model, request, start.samples),
            .cache = stepCacheIn(request),
            .cachePoints = model.info().cachePoints,
            .scheduler = schedulerText(request, sampler)};
}

void tellOf(const sampling::DenoiseResult& result, const StageCall& call) {
    if (!call.tell) {
        return;
    }
    call.tell("steps", sampling::toJson(result.steps));
    if (!result.cacheRecord.is_null()) {
        call.tell("cache_record", result.cacheRecord);
    }
    if (!result.errors.empty()) {
        call.tell("teacher_forced", sampling::toJson(result.errors));
    }
}

Shape shapeOfTensor(const at::Tensor& tensor) {
    return tensor.sizes().vec();
}

/// Before anything goes to the device.
void checkWires(const Model& model, const DenoiseRequest& request) {
    InpaintShapes shapes;
    if (const auto* empty = dynamic_cast<const tensor::EmptyLatents*>(request.latent.get())) {
        shapes.latent = latentShapeFor(model, empty->size(), empty->batch(), "latent");
    } else {
        shapes.latent = shapeOfTensor(latentsIn(request.latent).samples());
        checkLatents(model, shapes.latent);
        shapes.isEmpty = false;
    }
    if (request.mask) {
        shapes.mask = shapeOfTensor(masksIn(request.mask).values());
    }
    if (request.masked) {
        shapes.masked = shapeOfTensor(latentsIn(request.masked, "masked").samples());
    }
    checkInpainting(model, request, shapes);
}

}  // namespace

sampling::PassPart partOf(const Model& model, const DenoiseRequest& request) {
    const bool takesLastSteps = request.strength < 1 && !spreadsStrength(model, request);
    return {.startStep = takesLastSteps
                             ? request.steps - static_cast<int>(request.steps * request.strength)
                             : request.startStep,
            .endStep = request.endStep,
            .keepNoise = request.keepNoise,
            .startAt = request.startAt,
            .endAt = request.endAt};
}

bool keepsLatent(const DenoiseRequest& request) {
    return request.strength == 0;
}

WireRef keptLatent(const DenoiseRequest& request) {
    const tensor::Latents& given = latentsIn(request.latent);
    const at::Tensor& deviation = given.deviation();
    return std::make_shared<const tensor::Latents>(
        given.samples().clone(),
        given.provenance(),
        nullptr,
        deviation.defined() ? deviation.clone() : at::Tensor());
}

sampling::BatchNoise batchNoiseNamed(const std::string& name) {
    const bool isOwn = name == "each";
    requireThat(isOwn || name == "one",
                "there is no way \"" + name + "\" to give a batch its seeds",
                "choose one or each",
                "batch_seeds");
    return isOwn ? sampling::BatchNoise::OwnSeeds : sampling::BatchNoise::OneStream;
}

std::unique_ptr<sampling::Sampler> makeSampler(const Model& model, const DenoiseRequest& request) {
    checkNumbers(model, request);
    (void)batchNoiseNamed(request.batchSeeds);
    const sampling::ChosenSampler chosen =
        sampling::chosenSampler(request.sampler, model.info().schedulerConfig);
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

WireRef denoiseStage(StageContext& context, const DenoiseRequest& request, const StageCall& call) {
    const Model& model = modelIn(request.model);
    const sampling::ChosenSampler chosen =
        sampling::chosenSampler(request.sampler, model.info().schedulerConfig);
    const std::unique_ptr<sampling::Sampler> sampler = makeSampler(model, request);
    const tensor::Conditioning& positive = conditioningIn(request.positive, "positive");
    const tensor::Conditioning* negative = negativeIn(model, request);
    checkWires(model, request);
    if (keepsLatent(request)) {
        return keptLatent(request);
    }
    const auto tree = treeIn(model, kDenoiser);
    const c10::Device device = context.weights.torchDeviceOf(*tree);
    Start start = startOf(model, request.latent, device);
    const std::unique_ptr<sampling::Denoiser> denoiser =
        denoiserFor(context,
                    model,
                    {.positive = positive,
                     .negative = negative,
                     .picture = model.info().latent.sizeOf(start.samples.sizes().vec()),
                     .batch = start.samples.size(0),
                     .cfg = request.cfg},
                    start.samples);
    sampling::DenoiseSettings settings =
        settingsFor(model, request, negative != nullptr, start, chosen.type.name);
    if (context.teacher) {
        settings.teacher = recordedPassOf(*context.teacher, call.node);
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
    tellOf(result, call);
    describeDenoise(start.provenance,
                    {.model = model,
                     .request = request,
                     .samplerLabel = chosen.facts.label,
                     .samples = start.samples});
    return std::make_shared<const tensor::Latents>(
        std::move(result.latents), std::move(start.provenance), std::move(result.carry));
}

}  // namespace lowtide::models
