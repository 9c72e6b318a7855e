#include "nodes/denoise/denoise_request.hpp"

#include "nodes/denoise/denoise_stage.hpp"
#include "nodes/engine/outline_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/sampling/denoise_loop.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/scheduler_config.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lowtide::nodes {

namespace {

constexpr const char* kCfg2 = "cfg_2";
constexpr const char* kBoundary = "boundary";

void requireExperts(const models::ModelInfo& info, double value, const char* param) {
    requireThat(value == 0 || info.boundaryRatio > 0,
                std::string(param) + " is " + formatNumber(value) + ", and " + info.checkpoint +
                    " has one denoiser",
                "set it to 0; it is for models of two experts",
                param);
}

}  // namespace

std::optional<sampling::SecondExpert> secondExpertFor(const models::Model& model,
                                                      const DenoiseRequest& request) {
    requireThat(std::isfinite(request.cfg2) && request.cfg2 >= 0,
                "the guidance of the second expert is " + formatNumber(request.cfg2),
                "choose a number above 0, or 0 for that of the first",
                kCfg2);
    requireThat(request.boundary >= 0 && request.boundary <= 1,
                "the boundary is " + formatNumber(request.boundary),
                "choose a share of the timesteps up to 1, or 0 for the model's own",
                kBoundary);
    const models::ModelInfo& info = model.info();
    requireExperts(info, request.cfg2, kCfg2);
    requireExperts(info, request.boundary, kBoundary);
    if (info.boundaryRatio == 0) {
        return std::nullopt;
    }
    const double share = request.boundary > 0 ? request.boundary : info.boundaryRatio;
    return sampling::SecondExpert{
        .boundary = share * static_cast<double>(sampling::trainStepsOf(info.schedulerConfig)),
        .guidanceScale = request.cfg2 > 0 ? request.cfg2 : request.cfg};
}

std::vector<std::shared_ptr<const memory::ComponentTree>> denoisersOf(const models::Model& model) {
    std::vector<std::shared_ptr<const memory::ComponentTree>> trees;
    for (const std::string& role : rolesIn(model, models::kDenoisers)) {
        trees.push_back(treeIn(model, role));
    }
    return trees;
}

namespace {

constexpr double kMostShift = 100;

std::optional<models::PictureSize> sizeIn(const models::Model& model, const WireRef& latent) {
    if (const WireRef kind = kindOf(latent); const EmptyOutline* empty = emptyIn(kind)) {
        return empty->size;
    }
    const Shape shape = shapeOf(latent);
    return model.info().latent.holds(shape) ? std::optional(model.info().latent.sizeOf(shape))
                                            : std::nullopt;
}

/// Tokens of the denoiser for a picture, from which a file's dynamic shift follows.
int64_t pictureTokensOf(const models::Model& model, const models::PictureSize& size) {
    const int64_t side = model.info().latent.multiple;
    return size.width / side * (size.height / side);
}

std::optional<FlowShift> automaticShift(const models::Model& model, const DenoiseRequest& request) {
    const models::ModelInfo& info = model.info();
    const std::optional<models::PictureSize> size = sizeIn(model, request.latent);
    if (!size) {
        return std::nullopt;
    }
    const std::string reason =
        "automatic for " + (info.boundaryRatio > 0 ? "a model of two experts"
                                                   : std::to_string(size->width) + " x " +
                                                         std::to_string(size->height));
    if (info.flowShift) {
        return FlowShift{.value = info.flowShift(*size), .reason = reason};
    }
    const auto mu = sampling::flowMu(info.schedulerConfig, pictureTokensOf(model, *size));
    return mu ? std::optional(FlowShift{.value = sampling::flowShiftOf(info.schedulerConfig, *mu),
                                        .reason = reason,
                                        .mu = mu})
              : std::nullopt;
}

}  // namespace

std::optional<FlowShift> flowShiftFor(const models::Model& model, const DenoiseRequest& request) {
    const bool isFlow = sampling::isFlow(model.info().schedulerConfig);
    if (request.shift == 0) {
        return isFlow ? automaticShift(model, request) : std::nullopt;
    }
    requireThat(isFlow,
                "the flow shift is " + formatNumber(request.shift) + ", and the model is no flow",
                "set it to 0",
                "shift");
    requireThat(std::isfinite(request.shift) && request.shift > 0 && request.shift <= kMostShift,
                "the flow shift is " + formatNumber(request.shift),
                "choose a number above 0, at most " + formatNumber(kMostShift) +
                    ", or 0 for the automatic one",
                "shift");
    return FlowShift{.value = request.shift, .reason = "set"};
}

Issues shiftNotes(const models::Model& model, const DenoiseRequest& request) {
    const auto shift = flowShiftFor(model, request);
    if (!shift || request.shift != 0) {
        return {};
    }
    return {{.severity = Severity::Info,
             .code = "flow_shift",
             .item = "shift",
             .message = "the flow shift is " + formatNumber(shift->value) + ", " + shift->reason,
             .hint = "set it to take another one"}};
}

Json schedulerFor(const models::Model& model, const DenoiseRequest& request) {
    const Json& config = model.info().schedulerConfig;
    const std::optional<FlowShift> shift = flowShiftFor(model, request);
    if (!shift) {
        return config;
    }
    return shift->mu ? sampling::withFlowMu(config, *shift->mu)
                     : sampling::withFlowShift(config, shift->value);
}

namespace {

// Of the usual pixels; a second pass over a picture may be larger.
constexpr int64_t kFewPixels = 256 * 256;  ///< models of demonstrations have no sizes of their own
constexpr double kFarBelow = 0.5;
constexpr double kFarAbove = 2.5;
constexpr double kMuchGuidance = 2;  ///< times the usual one

std::string pictureSizeText(const models::PictureSize& size) {
    return std::to_string(size.width) + " x " + std::to_string(size.height);
}

Issue usualSizeNote(std::string message, std::string hint) {
    return {.severity = Severity::Info,
            .code = "usual_size",
            .item = "latent",
            .message = std::move(message),
            .hint = std::move(hint)};
}

}  // namespace

models::PictureSize usualSizeFor(const models::ModelInfo& info, const models::PictureSize& size) {
    const double scale = std::sqrt(static_cast<double>(info.usual.pixels) /
                                   static_cast<double>(size.width * size.height));
    const auto rounded = [&](int64_t side) {
        const auto scaled = static_cast<int64_t>(static_cast<double>(side) * scale);
        return scaled / info.latent.multiple * info.latent.multiple;
    };
    return {.width = rounded(size.width), .height = rounded(size.height), .frames = size.frames};
}

void requireRoomFor(const models::ModelInfo& info, const models::PictureSize& size) {
    const int64_t most = info.latent.mostPixels;
    if (most == 0 || size.width == size.height || size.width * size.height <= most) {
        return;
    }
    throw Error(
        ErrorKind::InvalidInput,
        "the size is " + pictureSizeText(size) + ", and " + info.checkpoint + " has room for " +
            std::to_string(most) + " pixels of a picture that is no square",
        info.usual.pixels > 0 ? "choose " + pictureSizeText(usualSizeFor(info, size)) +
                                    ", which its own pipeline would make, and enlarge the picture"
                              : "choose a smaller size",
        "latent");
}

Issues sizeNotes(const models::ModelInfo& info, const Shape& latent, bool isEmpty) {
    if (info.usual.pixels == 0 || !info.latent.holds(latent)) {
        return {};
    }
    const models::PictureSize size = info.latent.sizeOf(latent);
    const models::PictureSize usual = usualSizeFor(info, size);
    if (usual.width == size.width && usual.height == size.height) {
        return {};
    }
    if (info.usual.scalesToPixels) {
        return {usualSizeNote("the picture is " + pictureSizeText(size) + ", as asked for; " +
                                  info.checkpoint +
                                  " was trained at other sizes, and its own pipeline would make " +
                                  pictureSizeText(usual),
                              "choose that size for pictures like those that it learnt from")};
    }
    if (info.usual.pixels < kFewPixels) {
        return {};
    }
    const double times =
        static_cast<double>(size.width * size.height) / static_cast<double>(info.usual.pixels);
    const bool isLarge = isEmpty && times > kFarAbove;
    if (times >= kFarBelow && !isLarge) {
        return {};
    }
    return {usualSizeNote("the picture is " + pictureSizeText(size) + ", and " + info.checkpoint +
                              " was trained at about " + pictureSizeText(usual),
                          isLarge ? "choose that size, and enlarge the picture in a second pass: "
                                    "larger ones repeat their subjects"
                                  : "choose that size: smaller ones lack detail")};
}

Issues guidanceNotes(const models::ModelInfo& info, double cfg) {
    if (info.usual.cfg == 0 || cfg <= kMuchGuidance * info.usual.cfg) {
        return {};
    }
    return {{.severity = Severity::Info,
             .code = "usual_guidance",
             .item = "cfg",
             .message = "the guidance is " + formatNumber(cfg) + ", and " + info.checkpoint +
                        " is usually run with " + formatNumber(info.usual.cfg),
             .hint = "set the guidance to " + formatNumber(info.usual.cfg)}};
}

namespace {

constexpr const char* kZeroSnr = "rescale_betas_zero_snr";

Issue zeroSnrWarning(const std::string& problem, const char* hint, const char* item) {
    return {.severity = Severity::Warning,
            .code = "zero_snr",
            .item = item,
            .message = "the checkpoint was trained down to noise without signal (" +
                       std::string(kZeroSnr) + "), but " + problem,
            .hint = hint};
}

}  // namespace

Issues scheduleWarnings(const models::Model& model,
                        const DenoiseRequest& request,
                        const sampling::Sampler& sampler) {
    const sampling::ChosenSampler chosen =
        sampling::chosenSampler(request.sampler, schedulerFor(model, request));
    const JsonReader file(chosen.config, "scheduler_config.json");
    if (!file.boolean(kZeroSnr).value_or(false)) {
        return {};
    }
    if (!chosen.type.readsZeroSnr) {
        return {zeroSnrWarning(chosen.facts.label + " does not read that",
                               "choose ddim, euler, euler_a, dpmpp_2m or unipc, with the spacing "
                               "trailing",
                               "sampler")};
    }
    const int64_t last = sampling::trainStepsOf(chosen.config) - 1;
    const double first = sampling::timestepIn(sampler.schedule().timesteps.select(0, 0));
    if (first < static_cast<double>(last)) {
        return {zeroSnrWarning(
            "the steps begin at timestep " + formatNumber(first) + " of " + std::to_string(last),
            "choose the spacing trailing",
            "spacing")};
    }
    return {};
}

Issues handoverWarnings(const DenoiseRequest& request, const WireRef& latentKind) {
    constexpr double kPerMille = 1000;
    if (request.startAt == 0 || !isDistribution(latentKind)) {
        return {};
    }
    const double strength = std::round((1 - request.startAt) * kPerMille) / kPerMille;
    return {{.severity = Severity::Warning,
             .code = "handover",
             .item = "start_at",
             .message = "start_at " + formatNumber(request.startAt) +
                        " adds no noise, and the latent is an encoded picture, which has none",
             .hint = "set start_at to 0 and the strength to " + formatNumber(strength) +
                     " to make a picture anew in part"}};
}

/// Source: Podell et al. 2023 (arXiv 2307.01952), section 2.5.
Issues refinerWarnings(const models::Model& model, const WireRef& latentKind) {
    if (!model.info().isRefiner || !emptyIn(latentKind)) {
        return {};
    }
    return {{.severity = Severity::Warning,
             .code = "refiner_begins",
             .item = "latent",
             .message = model.info().checkpoint +
                        " is a refiner: it was trained on the lowest fifth of the noise levels "
                        "alone, and this latent is empty, all noise",
             .hint = "choose a base, and let the refiner go on with its latent (start_at 0.8), or "
                     "refine a picture with a strength of 0.3 or less"}};
}

namespace {

constexpr const char* kPort = "step_cache";

/// A step cache with the hash of the weights that it will work on.
class CacheOnWeights final : public sampling::StepCache {
public:
    CacheOnWeights(std::shared_ptr<const sampling::StepCache> cache,
                   std::function<std::string()> weightsHash)
        : cache_(std::move(cache)), weightsHash_(std::move(weightsHash)) {}

    [[nodiscard]] std::string label() const override { return cache_->label(); }

    [[nodiscard]] memory::CacheNeed need() const override { return cache_->need(); }

    [[nodiscard]] bool isLossy() const override { return cache_->isLossy(); }

    [[nodiscard]] sampling::CacheSessions begin(const sampling::CachedRun& run) const override {
        sampling::CachedRun here = run;
        here.identity.checkpoint = weightsHash_;
        return cache_->begin(here);
    }

private:
    const std::shared_ptr<const sampling::StepCache> cache_;
    const std::function<std::string()> weightsHash_;
};

sampling::CachedRun runOf(const models::Model& model,
                          const DenoiseRequest& request,
                          const std::string& samplerName,
                          const sampling::Sampler& sampler) {
    const sampling::CallRange calls = sampling::callsOf(sampler, partOf(model, request));
    return sampling::cachedRun(sampler,
                               calls,
                               model.info().cachePoints,
                               schedulerText(request, samplerName),
                               secondExpertFor(model, request));
}

void addCache(memory::Combination& chosen,
              const sampling::StepCache& cache,
              const sampling::CachedRun& run) {
    chosen.sampler.calls = run.callCount();
    chosen.sampler.hasStages =
        std::any_of(run.stages.begin(), run.stages.end(), [](int stage) { return stage > 0; });
    try {
        chosen.cache = sampling::chosenCache(cache, run);
    } catch (const Error& error) {
        throw Error(error.kind(), error.message(), error.hint(), kPort);
    }
}

}  // namespace

std::shared_ptr<const sampling::StepCache> stepCacheIn(const DenoiseRequest& request) {
    const auto* known = dynamic_cast<const KnownValue*>(request.stepCache.get());
    auto cache = std::dynamic_pointer_cast<const sampling::StepCache>(known ? known->value()
                                                                            : request.stepCache);
    if (request.stepCache && !cache) {
        throw Error(ErrorKind::InvalidInput,
                    "the input step_cache is no step cache",
                    "connect a node of the category Step caches",
                    kPort);
    }
    return cache;
}

DenoiseRequest withWeightsHash(DenoiseRequest request, std::function<std::string()> weightsHash) {
    if (auto cache = stepCacheIn(request)) {
        request.stepCache =
            std::make_shared<const CacheOnWeights>(std::move(cache), std::move(weightsHash));
    }
    return request;
}

std::string schedulerText(const DenoiseRequest& request, const std::string& sampler) {
    return sampler + ", sigmas " + request.sigmas + ", spacing " + request.spacing;
}

memory::Judgement judgeDenoise(const models::Model& model,
                               const DenoiseRequest& request,
                               const sampling::Sampler& sampler,
                               const memory::ComponentPrecision& precision) {
    const auto [type, config, facts] =
        sampling::chosenSampler(request.sampler, schedulerFor(model, request));
    memory::Combination chosen{.precision = precision,
                               .sampler = {.label = facts.label,
                                           .isDistilled = type.isDistilled,
                                           .drawsNoise = facts.drawsNoise || request.eta > 0},
                               .denoiser = sampling::denoiserTraits(model.info().cachePoints)};
    chosen.denoiser.embedsGuidance = model.info().guidance == sampling::Guidance::Embedded;
    if (const auto cache = stepCacheIn(request); cache && !keepsLatent(request)) {
        addCache(chosen, *cache, runOf(model, request, type.name, sampler));
    }
    return memory::requireAllowed(chosen);
}

Issues warningsOf(const memory::Judgement& judgement) {
    Issues issues;
    for (const std::string& warning : judgement.warnings) {
        issues.push_back(
            {.severity = Severity::Warning, .code = "combination", .message = warning});
    }
    return issues;
}

void tellDenoised(const sampling::DenoiseResult& result, const StageCall& call) {
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

}  // namespace lowtide::nodes
