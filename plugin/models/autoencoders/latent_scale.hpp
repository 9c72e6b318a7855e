#pragma once
// Between latents as a denoiser sees them and as the autoencoder does.

#include "plugin/models/autoencoders/autoencoder_config.hpp"
#include "plugin/sampling/inpainting.hpp"

namespace lowtide::models {

/// Latents [B, C, h, w] of the denoiser as the autoencoder decodes them: divided by the scaling
/// factor; where the config states mean and deviation of every channel, latents * deviation /
/// factor + mean.
[[nodiscard]] at::Tensor unscaledLatents(const AutoencoderConfig& config,
                                         const at::Tensor& latents);

/// What the autoencoder saw, mean and log variance [B, 2 C, h, w], as the denoiser sees it. Bounds
/// of the variance are those of diffusers' DiagonalGaussianDistribution.
[[nodiscard]] sampling::LatentDistribution scaledDistribution(const AutoencoderConfig& config,
                                                              const at::Tensor& moments);

}  // namespace lowtide::models
