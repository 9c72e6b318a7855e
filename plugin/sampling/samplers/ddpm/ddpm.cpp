#include "plugin/sampling/float_math.hpp"
#include "plugin/sampling/signal_sampler.hpp"
#include "plugin/sampling/timestep_spacing.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::sampling {

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
    refuseSetting("variance_type", name, "fixed_small, fixed_small_log or fixed_large");
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
                        fallingTimesteps(settings.common, options.steps, TimestepKind::Whole)),
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
