#include "plugin/models/autoencoders/latent_scale.hpp"

#include "plugin/tensor/crossing.hpp"

#include <ATen/ATen.h>

#include <utility>

namespace lowtide::models {

namespace {

/// One value for each channel, where `like` lies: [1, C, 1, 1].
at::Tensor perChannel(const std::vector<double>& values, const at::Tensor& like) {
    return tensor::upload(at::tensor(values, at::kFloat), like.device()).view({1, -1, 1, 1});
}

}  // namespace

at::Tensor unscaledLatents(const AutoencoderConfig& config, const at::Tensor& latents) {
    if (config.deviation.empty()) {
        return latents / config.scalingFactor;
    }
    return latents * perChannel(config.deviation, latents) / config.scalingFactor +
           perChannel(config.mean, latents);
}

sampling::LatentDistribution scaledDistribution(const AutoencoderConfig& config,
                                                const at::Tensor& moments) {
    constexpr double kLeastLogVariance = -30;
    constexpr double kMostLogVariance = 20;
    const int64_t channels = config.latentChannels;
    at::Tensor deviation =
        moments.narrow(1, channels, channels).clamp(kLeastLogVariance, kMostLogVariance);
    deviation.mul_(0.5).exp_().mul_(config.scalingFactor);
    const at::Tensor mean = moments.narrow(1, 0, channels);
    if (config.deviation.empty()) {
        return {.mean = mean * config.scalingFactor, .deviation = std::move(deviation)};
    }
    const at::Tensor own = perChannel(config.deviation, moments);
    return {.mean = (mean - perChannel(config.mean, moments)) * config.scalingFactor / own,
            .deviation = deviation.div_(own)};
}

}  // namespace lowtide::models
