#include "plugin/sampling/signal_sampler.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/float_math.hpp"
#include "plugin/sampling/timestep_spacing.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace lowtide::sampling {

SignalSampler::SignalSampler(const SchedulerConfig& config, const std::vector<double>& timesteps)
    : prediction_(config.prediction),
      timesteps_(timesteps.begin(), timesteps.end()),
      alphasCumprod_(alphasCumprod(config.noise)) {
    const double highest = *std::max_element(timesteps.begin(), timesteps.end());
    if (highest >= static_cast<double>(config.noise.trainSteps)) {
        throw Error(ErrorKind::InvalidInput,
                    "the first timestep would be " + formatNumber(highest) + ", the model has " +
                        std::to_string(config.noise.trainSteps),
                    "choose fewer steps or another spacing",
                    "steps");
    }
    schedule_.timesteps = wholeTimesteps(timesteps);
    schedule_.trainSteps = config.noise.trainSteps;
}

double SignalSampler::noiseRatio(int call) const {
    const double signal = alphaCumprod(timestep(call));
    return std::sqrt((1 - signal) / signal);
}

void SignalSampler::refusePureNoise(const std::string& label) const {
    const bool hasPureNoise = std::any_of(
        timesteps_.begin(), timesteps_.end(), [&](int64_t at) { return alphaCumprod(at) == 0; });
    if (hasPureNoise && prediction_ == Prediction::Epsilon) {
        throw Error(ErrorKind::Unsupported,
                    label +
                        " cannot start at a timestep without signal (rescale_betas_zero_snr) "
                        "when the model predicts noise",
                    "choose the spacing leading, or another sampler",
                    "rescale_betas_zero_snr");
    }
}

at::Tensor SignalSampler::cleanAt(const at::Tensor& prediction,
                                  const at::Tensor& latents,
                                  int call) const {
    const float now = alphaCumprod(timestep(call));
    return cleanOf(prediction_, prediction, latents, root(now), root(1 - now));
}

at::Tensor SignalSampler::addNoise(const at::Tensor& clean,
                                   const at::Tensor& noise,
                                   int call) const {
    const float now = alphaCumprod(timestep(call));
    return clean * root(now) + noise * root(1 - now);
}

at::Tensor cleanOf(Prediction kind,
                   const at::Tensor& prediction,
                   const at::Tensor& latents,
                   float signal,
                   float noise) {
    switch (kind) {
        case Prediction::Epsilon:
            return (latents - prediction * noise) / signal;
        case Prediction::Velocity:
            return latents * signal - prediction * noise;
        case Prediction::Sample:
        case Prediction::Flow:
            break;
    }
    return prediction;
}

Parts partsOf(Prediction kind,
              const at::Tensor& prediction,
              const at::Tensor& latents,
              float signal,
              float noise) {
    const at::Tensor clean = cleanOf(kind, prediction, latents, signal, noise);
    switch (kind) {
        case Prediction::Epsilon:
            return {clean, prediction};
        case Prediction::Velocity:
            return {clean, prediction * signal + latents * noise};
        case Prediction::Sample:
        case Prediction::Flow:
            break;
    }
    return {clean, (latents - prediction * signal) / noise};
}

}  // namespace lowtide::sampling
