#include "plugin/sampling/sigma_sampler.hpp"

#include "plugin/sampling/float_math.hpp"
#include "plugin/sampling/numpy_math.hpp"
#include "plugin/sampling/sigma_spread.hpp"
#include "plugin/sampling/timestep_spacing.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::sampling {

namespace {

SigmaTable tableOf(const SchedulerConfig& config, int steps, const std::vector<float>& training) {
    SigmaTable table;
    table.timesteps = fallingTimesteps(config, steps, TimestepKind::Fractional);
    for (const double timestep : table.timesteps) {
        table.sigmas.push_back(numpy::interpolate(timestep, training));
    }
    if (config.spread == SigmaSpread::Normal) {
        return table;
    }
    return spreadSigmas(config, table.sigmas.front(), table.sigmas.back(), steps, training);
}

double initNoiseSigma(const SchedulerConfig& config, const std::vector<float>& sigmas) {
    const float highest = *std::max_element(sigmas.begin(), sigmas.end());
    return config.spacing == Spacing::Leading ? root(highest * highest + 1) : highest;
}

}  // namespace

SigmaSampler::SigmaSampler(const SchedulerConfig& config, const ScheduleOptions& options)
    : prediction_(config.prediction) {
    const std::vector<float> training = trainingSigmas(positiveAlphasCumprod(config.noise));
    const SigmaTable table = tableOf(config, options.steps, training);
    sigmas_.assign(table.sigmas.begin(), table.sigmas.end());
    sigmas_.push_back(finalSigma(config, training));
    schedule_.timesteps =
        floatValues(std::vector<float>(table.timesteps.begin(), table.timesteps.end()));
    schedule_.sigmas = floatValues(sigmas_);
    schedule_.initNoiseSigma = initNoiseSigma(config, sigmas_);
    if (const auto end = shortenedEnd(options, callCount())) {
        sigmas_[static_cast<size_t>(*end)] = 0;
    }
}

at::Tensor SigmaSampler::scaleInput(const at::Tensor& latents, int call) const {
    const float level = sigma(call);
    return latents / root(level * level + 1);
}

at::Tensor SigmaSampler::addNoise(const at::Tensor& clean,
                                  const at::Tensor& noise,
                                  int call) const {
    return clean + noise * sigma(call);
}

at::Tensor SigmaSampler::clean(const at::Tensor& prediction,
                               const at::Tensor& latents,
                               float sigma) const {
    switch (prediction_) {
        case Prediction::Epsilon:
            return latents - prediction * sigma;
        case Prediction::Velocity: {
            const float total = sigma * sigma + 1;
            return prediction * (-sigma / root(total)) + latents / total;
        }
        case Prediction::Sample:
            break;
    }
    return prediction;
}

void SigmaSampler::setCalls(at::Tensor timesteps, at::Tensor sigmas) {
    schedule_.timesteps = std::move(timesteps);
    schedule_.sigmas = std::move(sigmas);
}

float finalSigma(const SchedulerConfig& config, const std::vector<float>& training) {
    return config.endsAtZero ? 0.0F : training.front();
}

}  // namespace lowtide::sampling
