#include "nodes/denoise/denoise_schedule.hpp"

#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/sampling/named_schedule.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/scheduler_config.hpp"
#include "plugin/sampling/solvers/level_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lowtide::nodes {

namespace {

constexpr double kGuidance = 7.5;  ///< where the model states no usual one
constexpr const char* kCfg2 = "cfg_2";
constexpr const char* kBoundary = "boundary";

void requireLowNoiseModel(const models::ModelInfo& info, double value, const char* param) {
    requireThat(
        value == 0 || info.boundaryRatio > 0,
        message("{} is {}, and {} has one denoiser", param, formatNumber(value), info.checkpoint),
        message("set it to 0; it is for models with two denoisers"),
        param);
}

}  // namespace

double guidanceOf(const models::ModelInfo& info, double cfg) {
    if (!(cfg < 0)) {
        return cfg;
    }
    return info.usual.cfg > 0 ? info.usual.cfg : kGuidance;
}

std::vector<std::string> guidanceFingerprints(const models::ModelInfo& info, double cfg) {
    if (!(cfg < 0)) {
        return {};
    }
    return {"guidance " + formatNumber(guidanceOf(info, cfg))};
}

std::optional<sampling::LowNoiseModel> lowNoiseModelFor(const models::Model& model,
                                                        const DenoiseAsked& asked) {
    requireThat(std::isfinite(asked.cfg2) && asked.cfg2 >= 0,
                message("the guidance of the low-noise model is {}", formatNumber(asked.cfg2)),
                message("choose a number above 0, or 0 for that of the first"),
                kCfg2);
    requireThat(asked.boundary >= 0 && asked.boundary <= 1,
                message("the boundary is {}", formatNumber(asked.boundary)),
                message("choose a fraction of the timesteps up to 1, or 0 for the model's own"),
                kBoundary);
    const models::ModelInfo& info = model.info();
    requireLowNoiseModel(info, asked.cfg2, kCfg2);
    requireLowNoiseModel(info, asked.boundary, kBoundary);
    if (info.boundaryRatio == 0) {
        return std::nullopt;
    }
    const double fraction = asked.boundary > 0 ? asked.boundary : info.boundaryRatio;
    return sampling::LowNoiseModel{
        .boundary = fraction * static_cast<double>(sampling::trainStepsOf(info.schedulerConfig)),
        .guidanceScale = asked.cfg2 > 0 ? asked.cfg2 : asked.cfg};
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

std::optional<models::ImageSize> sizeIn(const models::Model& model, const WireRef& latent) {
    if (const WireRef kind = kindOf(latent); const EmptyLatentSpec* empty = emptyIn(kind)) {
        return empty->size;
    }
    const Shape shape = shapeOf(latent);
    return model.info().latent.holds(shape) ? std::optional(model.info().latent.sizeOf(shape))
                                            : std::nullopt;
}

/// Tokens of the denoiser for an image, from which a file's dynamic shift follows.
int64_t imageTokensOf(const models::Model& model, const models::ImageSize& size) {
    const int64_t side = model.info().latent.multiple;
    return size.width / side * (size.height / side);
}

std::optional<FlowShift> automaticShift(const models::Model& model, const DenoiseAsked& asked) {
    const models::ModelInfo& info = model.info();
    const std::optional<models::ImageSize> size = sizeIn(model, asked.latent);
    if (!size) {
        return std::nullopt;
    }
    const Message reason = info.boundaryRatio > 0
                               ? message("automatic for a model with two denoisers")
                               : message("automatic for {} x {}", size->width, size->height);
    if (info.flowShift) {
        return FlowShift{.value = info.flowShift(*size), .reason = reason};
    }
    const auto mu = sampling::flowMu(info.schedulerConfig, imageTokensOf(model, *size));
    return mu ? std::optional(FlowShift{.value = sampling::flowShiftOf(info.schedulerConfig, *mu),
                                        .reason = reason,
                                        .mu = mu})
              : std::nullopt;
}

}  // namespace

std::optional<FlowShift> flowShiftFor(const models::Model& model, const DenoiseAsked& asked) {
    const bool isFlow = sampling::isFlow(model.info().schedulerConfig);
    if (asked.shift == 0) {
        return isFlow ? automaticShift(model, asked) : std::nullopt;
    }
    requireThat(
        isFlow,
        message("the flow shift is {}, and the model is no flow", formatNumber(asked.shift)),
        message("set it to 0"),
        "shift");
    requireThat(std::isfinite(asked.shift) && asked.shift > 0 && asked.shift <= kMostShift,
                message("the flow shift is {}", formatNumber(asked.shift)),
                message("choose a number above 0, at most {}, or 0 for the automatic one",
                        formatNumber(kMostShift)),
                "shift");
    return FlowShift{.value = asked.shift};
}

Json schedulerFor(const models::Model& model, const DenoiseAsked& asked) {
    const Json& config = model.info().schedulerConfig;
    const std::optional<FlowShift> shift = flowShiftFor(model, asked);
    if (!shift) {
        return config;
    }
    return shift->mu ? sampling::withFlowMu(config, *shift->mu)
                     : sampling::withFlowShift(config, shift->value);
}

namespace {

constexpr const char* kAutomatic = "automatic";

std::vector<std::string> solverNames() {
    std::vector<std::string> names;
    for (const sampling::SolverType& type : sampling::solvers()) {
        names.push_back(type.name);
    }
    return names;
}

bool isOfClass(const std::string& sampler) {
    const auto all = sampling::samplers();
    return sampler == "checkpoint" || std::any_of(all.begin(), all.end(), [&](const auto& type) {
               return type.name == sampler;
           });
}

}  // namespace

const sampling::SolverType* solverFor(const models::Model& model, const DenoiseAsked& asked) {
    const bool isAutomatic = asked.schedule == kAutomatic;
    if (isAutomatic && isOfClass(asked.sampler)) {
        return nullptr;
    }
    const std::string name =
        isOfClass(asked.sampler)
            ? sampling::samplerNamed(asked.sampler, model.info().schedulerConfig).name
            : asked.sampler;
    const sampling::SolverType* type = sampling::solverNamed(name);
    requireThat(type || isAutomatic,
                message("the sampler {} visits timesteps of its own and takes no schedule", name),
                message("set the schedule to automatic, or choose {}", join(solverNames(), ", ")),
                "sampler");
    return type;
}

UsedSampler usedSamplerFor(const models::Model& model, const DenoiseAsked& asked) {
    if (const sampling::SolverType* solver = solverFor(model, asked)) {
        return {.name = solver->name,
                .label = solver->label,
                .drawsNoise = solver->noise != sampling::SolverNoise::None};
    }
    const sampling::ChosenSampler chosen =
        sampling::chosenSampler(asked.sampler, schedulerFor(model, asked));
    return {.name = chosen.type.name,
            .label = chosen.facts.label,
            .isDistilled = chosen.type.isDistilled,
            .drawsNoise = chosen.facts.drawsNoise};
}

bool isGuidedAt(const models::Model& model, const DenoiseAsked& asked, double cfg) {
    constexpr double kNearOne = 1e-9;
    if (model.info().guidance == sampling::Guidance::Embedded) {
        return false;
    }
    const sampling::SolverType* solver = solverFor(model, asked);
    if (solver && solver->uncond == sampling::UncondUse::Always) {
        return true;
    }
    return asked.noise == sampling::NoiseWay::ComfyUi ? std::abs(cfg - 1) > kNearOne
                                                      : model.guides(cfg);
}

bool spreadsStrength(const models::Model& model, const DenoiseAsked& asked) {
    return model.info().spreadsStrength && !asked.mask && !solverFor(model, asked) &&
           sampling::samplerNamed(asked.sampler, schedulerFor(model, asked)).takesStrength;
}

namespace {

/// Of those that a strength takes, in the arithmetic of diffusers' get_timesteps.
int firstStepOf(const models::Model& model, const DenoiseAsked& asked) {
    const double taken = asked.steps * asked.strength;
    return model.info().roundsStrengthUp ? static_cast<int>(std::max(asked.steps - taken, 0.0))
                                         : asked.steps - static_cast<int>(taken);
}

}  // namespace

int startStepFor(const models::Model& model, const DenoiseAsked& asked) {
    const bool takesLastSteps = asked.strength < 1 && !spreadsStrength(model, asked) &&
                                asked.noise == sampling::NoiseWay::Diffusers;
    return takesLastSteps ? firstStepOf(model, asked) : asked.startStep;
}

sampling::ScheduleRange partOf(const models::Model& model, const DenoiseAsked& asked) {
    if (solverFor(model, asked)) {
        return {.keepNoise = asked.keepNoise};
    }
    return {.startStep = startStepFor(model, asked),
            .endStep = asked.endStep,
            .keepNoise = asked.keepNoise,
            .startAt = asked.startAt,
            .endAt = asked.endAt};
}

bool keepsLatent(const DenoiseAsked& asked) {
    return asked.strength == 0;
}

std::string schedulerText(const models::Model& model,
                          const DenoiseAsked& asked,
                          const std::string& sampler) {
    if (!solverFor(model, asked)) {
        return sampler + ", sigmas " + asked.sigmas + ", spacing " + asked.spacing;
    }
    std::string text = sampler + ", schedule " + asked.schedule;
    const int first = startStepFor(model, asked);
    const int end = asked.endStep < 0 ? asked.steps : std::min(asked.endStep, asked.steps);
    if (first > 0 || end < asked.steps) {
        text += ", steps " + std::to_string(first) + " to " + std::to_string(end) + " of " +
                std::to_string(asked.steps);
    }
    if (asked.strength < 1 && asked.noise == sampling::NoiseWay::ComfyUi) {
        text += ", strength " + formatNumber(asked.strength);
    }
    return text;
}

namespace {

void checkLevelSettings(const DenoiseAsked& asked, const sampling::SolverType& type) {
    const auto require = [&](bool holds, const char* param, const std::string& value) {
        requireThat(holds,
                    message("{} is {}, and {} runs along a schedule", param, value, type.label),
                    message("set {} to what it is by default, or the schedule to automatic", param),
                    param);
    };
    require(asked.sigmas == "sampler", "sigmas", asked.sigmas);
    require(asked.spacing == "sampler", "spacing", asked.spacing);
    require(asked.eta == 0, "eta", formatNumber(asked.eta));
    require(asked.startAt == 0, "start_at", formatNumber(asked.startAt));
    require(asked.endAt == 1, "end_at", formatNumber(asked.endAt));
}

}  // namespace

std::unique_ptr<sampling::Sampler> levelSamplerFor(const models::Model& model,
                                                   const DenoiseAsked& asked,
                                                   const sampling::SolverType& type) {
    checkLevelSettings(asked, type);
    const sampling::SchedulerConfig config =
        sampling::solverConfig(schedulerFor(model, asked), asked.steps);
    const std::string usual = config.flow ? "simple" : "normal";
    const sampling::NamedSchedule& schedule =
        sampling::scheduleNamed(asked.schedule == kAutomatic ? usual : asked.schedule);
    sampling::ScheduledSteps steps{.steps = asked.steps, .dropsPenultimate = type.dropsPenultimate};
    if (!keepsLatent(asked)) {
        // With the noise of ComfyUI all steps are taken at any strength.
        steps.fraction = asked.noise == sampling::NoiseWay::ComfyUi ? asked.strength : 1;
        steps.first = startStepFor(model, asked);
        steps.end = asked.endStep;
        steps.keepsNoise = asked.keepNoise;
    }
    const std::vector<float> levels =
        sampling::scheduledLevels(schedule, sampling::trainedLevels(config), steps);
    return std::make_unique<sampling::LevelSampler>(type, config, levels);
}

}  // namespace lowtide::nodes
