#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/distilled.hpp"
#include "plugin/sampling/float_math.hpp"
#include "plugin/sampling/signal_sampler.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace lowtide::sampling {

namespace {

SchedulerClass schedulerClass() {
    SchedulerClass kind = distilledClass("TCD");
    kind.hasEta = true;
    return kind;
}

const SchedulerClass kTcdClass = schedulerClass();

/// Trajectory consistency: every call jumps to a timestep below the next one, eta of the way to the
/// clean latents, and fresh noise goes back up. Source: Zheng et al. 2024 (arXiv 2402.19159);
/// values: TCDScheduler, which leaves the noise of timestep 0 in at the end.
class Tcd final : public SignalSampler {
public:
    Tcd(const SchedulerConfig& config,
        const std::vector<double>& timesteps,
        const ScheduleOptions& options)
        : SignalSampler(config, timesteps),
          eta_(options.eta),
          shortenedEnd_(shortenedEnd(options, callCount())) {
        refusePureNoise(kTcdClass.label);
    }

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>& noise) override {
        const float now = alphaCumprod(timestep(call));
        const bool isLast = call == callCount() - 1;
        const int64_t next = isLast ? 0 : timestep(call + 1);
        const float below = call + 1 == shortenedEnd_ ? 1.0F : alphaCumprod(belowOf(next));
        const bool isEpsilon = predicts() == Prediction::Epsilon;
        const Parts parts = partsOf(predicts(),
                                    prediction,
                                    latents,
                                    isEpsilon ? std::sqrt(now) : root(now),
                                    isEpsilon ? std::sqrt(1 - now) : root(1 - now));
        const at::Tensor moved =
            parts.clean * std::sqrt(below) + parts.noise * std::sqrt(1 - below);
        if (eta_ <= 0 || isLast || call + 1 == shortenedEnd_) {
            return moved;
        }
        const float ratio = alphaCumprod(next) / below;
        return moved * std::sqrt(ratio) + noise(prediction.sizes()) * std::sqrt(1 - ratio);
    }

private:
    /// The timestep that a call jumps to before the noise goes back to `next`.
    [[nodiscard]] int64_t belowOf(int64_t next) const {
        const auto kept = static_cast<float>(1 - eta_);
        return static_cast<int64_t>(std::floor(kept * static_cast<float>(next)));
    }

    double eta_;
    std::optional<int> shortenedEnd_;
};

std::unique_ptr<Sampler> makeTcd(const Json& config, const ScheduleOptions& options) {
    if (options.eta > 1) {
        throw Error(ErrorKind::InvalidInput,
                    "TCD has no eta " + formatNumber(options.eta),
                    "choose a number from 0 to 1",
                    "eta");
    }
    const SchedulerConfig settings = readSchedulerConfig(config, kTcdClass, options);
    return std::make_unique<Tcd>(
        settings, distilledTimesteps(schedulerReader(config), settings, options), options);
}

}  // namespace

SamplerType tcd() {
    return {.name = "tcd",
            .label = kTcdClass.label,
            .schedulerClass = "TCDScheduler",
            .isDistilled = true,
            .readsZeroSnr = kTcdClass.hasZeroSnr,
            .make = makeTcd};
}

}  // namespace lowtide::sampling
