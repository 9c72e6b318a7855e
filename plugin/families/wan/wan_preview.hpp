#pragma once

#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/nn/latent_to_rgb.hpp"

#include <optional>

namespace lowtide::models {

/// The map of a checkpoint (vae/latent_to_rgb.json), or the one for WAN 2.1's 16 channels; nothing
/// for other latents. Error{Corrupt} where the checkpoint's is none.
[[nodiscard]] std::optional<LatentToRgb> wanLatentToRgb(Checkpoint& checkpoint,
                                                        int64_t latentChannels);

}  // namespace lowtide::models
