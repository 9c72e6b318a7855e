#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/float_math.hpp"
#include "plugin/sampling/sigma_sampler.hpp"
#include "plugin/sampling/timestep_spacing.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

namespace {

const SchedulerClass kClass = {.label = "DDIM", .spacing = Spacing::Leading};

struct DdimSettings {
    SchedulerConfig common;
    double eta = 0;
    std::optional<double> clip;  ///< bound of the predicted clean latents
    bool endsClean = true;       ///< set_alpha_to_one; else at the signal of timestep 0
};

/// The clean latents and the noise that a prediction stands for.
struct Parts {
    at::Tensor clean;
    at::Tensor noise;
};

/// Source: Song et al. 2020, eq. 12 and 16; values: DDIMScheduler.
class Ddim final : public Sampler {
public:
    Ddim(const DdimSettings& settings, const ScheduleOptions& options);

    const Schedule& schedule() const override { return schedule_; }

    at::Tensor scaleInput(const at::Tensor& latents, int) const override { return latents; }

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>& noise) override;
    at::Tensor addNoise(const at::Tensor& clean, const at::Tensor& noise, int call) const override;

    void save(tensor::SamplerCarry&) const override {}

    void restore(const tensor::SamplerCarry&) override {}

    int historyLength() const override { return 0; }

private:
    /// Shares of the signal before and after one call.
    struct Shares {
        float now = 1;
        float next = 1;
    };

    [[nodiscard]] Parts partsOf(const at::Tensor& prediction,
                                const at::Tensor& latents,
                                float share) const;

    [[nodiscard]] const Shares& at(int call) const { return shares_[static_cast<size_t>(call)]; }

    Prediction prediction_;
    float eta_;
    std::optional<double> clip_;
    Schedule schedule_;
    std::vector<Shares> shares_;
};

void refuseUnreachable(double timestep, const DdimSettings& settings) {
    if (timestep >= static_cast<double>(settings.common.noise.trainSteps)) {
        throw Error(ErrorKind::InvalidInput,
                    "the first timestep would be " + formatNumber(timestep) + ", the model has " +
                        std::to_string(settings.common.noise.trainSteps),
                    "choose fewer steps or another spacing",
                    "steps");
    }
}

/// At a timestep of pure noise the clean latents cannot be told from the noise alone: the reference
/// divides by 0.
void refusePureNoise(float share, Prediction prediction) {
    if (share == 0 && prediction == Prediction::Epsilon) {
        throw Error(ErrorKind::Unsupported,
                    "DDIM cannot start at a timestep without signal (rescale_betas_zero_snr) when "
                    "the model "
                    "predicts noise",
                    "choose the spacing leading, or another sampler",
                    "rescale_betas_zero_snr");
    }
}

Ddim::Ddim(const DdimSettings& settings, const ScheduleOptions& options)
    : prediction_(settings.common.prediction),
      eta_(static_cast<float>(settings.eta)),
      clip_(settings.clip) {
    const std::vector<float> shares = signalShares(settings.common.noise);
    const auto timesteps = fallingTimesteps(settings.common, options.steps, TimestepKind::Whole);
    const int64_t stride = settings.common.noise.trainSteps / options.steps;
    refuseUnreachable(timesteps.front(), settings);
    for (const double timestep : timesteps) {
        const auto now = static_cast<int64_t>(timestep);
        const int64_t next = now - stride;
        const float last = settings.endsClean ? 1.0F : shares.front();
        shares_.push_back({.now = shares[static_cast<size_t>(now)],
                           .next = next >= 0 ? shares[static_cast<size_t>(next)] : last});
        refusePureNoise(shares_.back().now, prediction_);
    }
    schedule_.timesteps = wholeTimesteps(timesteps);
    if (const auto end = shortenedEnd(options, callCount()); end && *end > 0) {
        shares_[static_cast<size_t>(*end - 1)].next = 1;
    }
}

Parts Ddim::partsOf(const at::Tensor& prediction, const at::Tensor& latents, float share) const {
    const float signal = root(share);
    const float noise = root(1 - share);
    switch (prediction_) {
        case Prediction::Epsilon:
            return {(latents - prediction * noise) / signal, prediction};
        case Prediction::Velocity:
            return {latents * signal - prediction * noise, prediction * signal + latents * noise};
        case Prediction::Sample:
            break;
    }
    return {prediction, (latents - prediction * signal) / noise};
}

at::Tensor Ddim::step(const at::Tensor& prediction,
                      int call,
                      const at::Tensor& latents,
                      const std::function<at::Tensor(at::IntArrayRef)>& noise) {
    const auto [now, next] = at(call);
    Parts parts = partsOf(prediction, latents, now);
    if (clip_) {
        parts.clean = at::clamp(parts.clean, -*clip_, *clip_);
    }
    const float variance = ((1 - next) / (1 - now)) * (1 - now / next);
    const float deviation = eta_ * root(variance);
    const at::Tensor direction = parts.noise * root(1 - next - deviation * deviation);
    const at::Tensor moved = parts.clean * root(next) + direction;
    return eta_ > 0 ? moved + noise(prediction.sizes()) * deviation : moved;
}

at::Tensor Ddim::addNoise(const at::Tensor& clean, const at::Tensor& noise, int call) const {
    const float share = at(call).now;
    return clean * root(share) + noise * root(1 - share);
}

std::unique_ptr<Sampler> make(const Json& config, const ScheduleOptions& options) {
    const JsonReader reader = schedulerReader(config);
    refuseWhenSet(reader, "thresholding");
    DdimSettings settings{.common = readSchedulerConfig(config, kClass, options)};
    settings.eta = options.eta;
    settings.endsClean = reader.boolean("set_alpha_to_one").value_or(true);
    if (reader.boolean("clip_sample").value_or(true)) {
        settings.clip = reader.number("clip_sample_range").value_or(1.0);
    }
    return std::make_unique<Ddim>(settings, options);
}

}  // namespace

SamplerType ddim() {
    return {.name = "ddim", .label = kClass.label, .schedulerClass = "DDIMScheduler", .make = make};
}

}  // namespace lowtide::sampling
