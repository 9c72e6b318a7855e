#pragma once

#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/nn/latent_to_rgb.hpp"

#include <optional>

namespace lowtide::models {

/// How latents of Stable Diffusion 1.x and 2.x look, whose autoencoders share one latent space, or
/// what the checkpoint's own vae/latent_to_rgb.json says. Nothing for latents of other channels.
[[nodiscard]] std::optional<LatentToRgb> latentToRgbOf(Checkpoint& checkpoint,
                                                       int64_t latentChannels);

}  // namespace lowtide::models
