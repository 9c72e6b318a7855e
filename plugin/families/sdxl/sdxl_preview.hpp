#pragma once

#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/nn/autoencoders/autoencoder_config.hpp"
#include "plugin/nn/latent_to_rgb.hpp"

#include <optional>

namespace lowtide::models {

/// How latents of Stable Diffusion XL look, at the scale, mean and deviation of the checkpoint's
/// autoencoder, or what its own vae/latent_to_rgb.json says. Nothing for latents of other channels.
[[nodiscard]] std::optional<LatentToRgb> sdxlLatentToRgb(Checkpoint& checkpoint,
                                                         const AutoencoderConfig& autoencoder);

}  // namespace lowtide::models
