#include "plugin/sampling/float_math.hpp"
#include "plugin/sampling/signal_sampler.hpp"
#include "plugin/sampling/timestep_spacing.hpp"

#include <ATen/ATen.h>

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
                    fallingTimesteps(settings.common, options.steps, TimestepKind::Whole)),
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

}  // namespace lowtide::sampling
