#include "plugin/sampling/pndm_sampler.hpp"

#include "plugin/sampling/float_math.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

PndmSettings readPndm(const Json& config,
                      const std::string& label,
                      const ScheduleOptions& options) {
    const SchedulerClass kind = {
        .label = label, .spacing = Spacing::Leading, .predictsSample = false};
    return {.common = readSchedulerConfig(config, kind, options),
            .endsClean = schedulerReader(config).boolean("set_alpha_to_one").value_or(false)};
}

PndmSampler::PndmSampler(const PndmSettings& settings,
                         const ScheduleOptions& options,
                         const std::vector<double>& calls)
    : SignalSampler(settings.common, calls),
      steps_(options.steps),
      stride_(settings.common.noise.trainSteps / options.steps),
      finalAlpha_(settings.endsClean ? 1.0F : alphaCumprod(0)) {}

at::Tensor PndmSampler::moved(const at::Tensor& latents,
                              const at::Tensor& prediction,
                              int call,
                              int64_t from,
                              int64_t to) const {
    const float now = alphaCumprod(from);
    const float after = to >= 0 ? alphaCumprod(to) : finalAlpha_;
    const float next = call == lastCall_ ? 1.0F : after;
    const at::Tensor noise = predicts() == Prediction::Velocity
                                 ? prediction * root(now) + latents * root(1 - now)
                                 : prediction;
    const float divisor = now * root(1 - next) + root(now * (1 - now) * next);
    return latents * root(next / now) - noise * (next - now) / divisor;
}

at::Tensor PndmSampler::combined(const at::Tensor& prediction) {
    const at::Tensor sum = [&]() -> at::Tensor {
        switch (before_.size()) {
            case 0:
                return prediction;
            case 1:
                return (prediction * 3 - before_.ago(1)) / 2;
            case 2:
                return (prediction * 23 - before_.ago(1) * 16 + before_.ago(2) * 5) / 12;
            default:
                return (prediction * 55 - before_.ago(1) * 59 + before_.ago(2) * 37 -
                        before_.ago(3) * 9) *
                       (1.0 / 24);
        }
    }();
    before_.push(prediction);
    return sum;
}

at::Tensor PndmSampler::multistep(const at::Tensor& prediction,
                                  int call,
                                  const at::Tensor& latents) {
    const int64_t from = timestep(call);
    return moved(latents, combined(prediction), call, from, from - stride_);
}

}  // namespace lowtide::sampling
