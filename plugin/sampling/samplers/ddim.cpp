// DDIM and DDPM: samplers along training timesteps, one call a step.

#include "plugin/sampling/noise_levels.hpp"
#include "plugin/sampling/reference_math.hpp"
#include "plugin/sampling/samplers/sampler_bases.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::sampling {

namespace {

const SchedulerClass kDdimClass = {
    .label = "DDIM", .spacing = Spacing::Leading, .hasZeroSnr = true, .hasEta = true};

struct DdimSettings {
    SchedulerConfig common;
    double eta = 0;
    std::optional<double> clip;  ///< bound of the predicted clean latents
    bool endsClean = true;       ///< set_alpha_to_one; else at the signal of timestep 0
};

/// Source: Song et al. 2020, eq. 12 and 16; values: DDIMScheduler.
class Ddim final : public SignalSampler {
public:
    Ddim(const DdimSettings& settings, const ScheduleOptions& options);

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>& noise) override;

private:
    float eta_;
    std::optional<double> clip_;
    std::vector<float> nextAlphas_;  ///< alphas_cumprod after each call
};

Ddim::Ddim(const DdimSettings& settings, const ScheduleOptions& options)
    : SignalSampler(settings.common,
                    fallingTimesteps(settings.common, options.steps, TimestepKind::Integer)),
      eta_(static_cast<float>(settings.eta)),
      clip_(settings.clip) {
    refusePureNoise(kDdimClass.label);
    const int64_t stride = settings.common.noise.trainSteps / options.steps;
    const float last = settings.endsClean ? 1.0F : alphaCumprod(0);
    for (int call = 0; call < callCount(); ++call) {
        const int64_t next = timestep(call) - stride;
        nextAlphas_.push_back(next >= 0 ? alphaCumprod(next) : last);
    }
    if (const auto end = shortenedEnd(options, callCount()); end && *end > 0) {
        nextAlphas_[static_cast<size_t>(*end - 1)] = 1;
    }
}

at::Tensor Ddim::step(const at::Tensor& prediction,
                      int call,
                      const at::Tensor& latents,
                      const std::function<at::Tensor(at::IntArrayRef)>& noise) {
    const float now = alphaCumprod(timestep(call));
    const float next = nextAlphas_[static_cast<size_t>(call)];
    Parts parts = partsOf(predicts(), prediction, latents, root(now), root(1 - now));
    if (clip_) {
        parts.clean = at::clamp(parts.clean, -*clip_, *clip_);
    }
    const float variance = ((1 - next) / (1 - now)) * (1 - now / next);
    const float deviation = eta_ * root(variance);
    const at::Tensor direction = parts.noise * root(1 - next - deviation * deviation);
    const at::Tensor moved = parts.clean * root(next) + direction;
    return eta_ > 0 ? moved + noise(prediction.sizes()) * deviation : moved;
}

std::unique_ptr<Sampler> makeDdim(const Json& config, const ScheduleOptions& options) {
    const JsonReader reader = schedulerReader(config);
    refuseWhenSet(reader, "thresholding");
    DdimSettings settings{.common = readSchedulerConfig(config, kDdimClass, options)};
    settings.eta = options.eta;
    settings.endsClean = reader.boolean("set_alpha_to_one").value_or(true);
    settings.clip = readClip(reader, true);
    return std::make_unique<Ddim>(settings, options);
}

}  // namespace

SamplerType ddim() {
    return {.name = "ddim",
            .label = kDdimClass.label,
            .schedulerClass = "DDIMScheduler",
            .readsZeroSnr = kDdimClass.hasZeroSnr,
            .make = makeDdim};
}

namespace {

const SchedulerClass kDdpmClass = {
    .label = "DDPM", .spacing = Spacing::Leading, .hasZeroSnr = true};

constexpr float kLeastVariance = 1e-20F;

/// How much noise a step adds: the two bounds of Ho et al. 2020 (section 3.2), and the lower one
/// through its logarithm (Janner et al. 2022).
enum class Variance : uint8_t { Small, SmallLog, Large };

Variance readVariance(const JsonReader& reader) {
    const std::string name = reader.text("variance_type").value_or("fixed_small");
    if (name == "fixed_small") {
        return Variance::Small;
    }
    if (name == "fixed_small_log") {
        return Variance::SmallLog;
    }
    if (name == "fixed_large") {
        return Variance::Large;
    }
    refuseSetting("variance_type", name, message("fixed_small, fixed_small_log or fixed_large"));
}

struct DdpmSettings {
    SchedulerConfig common;
    std::optional<double> clip;
    Variance variance = Variance::Small;
};

/// Ancestral sampling of the training's own Markov chain. Source: Ho et al. 2020, eq. 6 and 7;
/// values: DDPMScheduler.
class Ddpm final : public SignalSampler {
public:
    Ddpm(const DdpmSettings& settings, const ScheduleOptions& options)
        : SignalSampler(settings.common,
                        fallingTimesteps(settings.common, options.steps, TimestepKind::Integer)),
          clip_(settings.clip),
          variance_(settings.variance),
          end_(shortenedEnd(options, callCount()).value_or(callCount())) {
        refusePureNoise(kDdpmClass.label);
    }

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>& noise) override {
        const float now = alphaCumprod(timestep(call));
        const float next = call + 1 < end_ ? alphaCumprod(timestep(call + 1)) : 1.0F;
        const float ratio = now / next;
        at::Tensor clean = partsOf(predicts(), prediction, latents, root(now), root(1 - now)).clean;
        if (clip_) {
            clean = at::clamp(clean, -*clip_, *clip_);
        }
        const float ofClean = root(next) * (1 - ratio) / (1 - now);
        const float ofLatents = root(ratio) * (1 - next) / (1 - now);
        const at::Tensor mean = clean * ofClean + latents * ofLatents;
        const bool endsEarly = call + 1 == end_ && end_ < callCount();
        if (timestep(call) == 0 || endsEarly) {
            return mean;
        }
        return mean + noise(prediction.sizes()) * deviation(now, next);
    }

private:
    [[nodiscard]] float deviation(float now, float next) const {
        const float upper = 1 - now / next;
        const float lower = std::max((1 - next) / (1 - now) * upper, kLeastVariance);
        switch (variance_) {
            case Variance::Small:
                return root(lower);
            case Variance::SmallLog:
                return exponential(0.5F * logarithm(lower));
            case Variance::Large:
                break;
        }
        return root(upper);
    }

    std::optional<double> clip_;
    Variance variance_;
    int end_;  ///< the call before which the run ends
};

std::unique_ptr<Sampler> makeDdpm(const Json& config, const ScheduleOptions& options) {
    const JsonReader reader = schedulerReader(config);
    refuseWhenSet(reader, "thresholding");
    return std::make_unique<Ddpm>(
        DdpmSettings{.common = readSchedulerConfig(config, kDdpmClass, options),
                     .clip = readClip(reader, true),
                     .variance = readVariance(reader)},
        options);
}

}  // namespace

SamplerType ddpm() {
    return {.name = "ddpm",
            .label = kDdpmClass.label,
            .schedulerClass = "DDPMScheduler",
            .drawsNoise = true,
            .readsZeroSnr = kDdpmClass.hasZeroSnr,
            .make = makeDdpm};
}

}  // namespace lowtide::sampling
