#pragma once

#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/nn/latent_to_rgb.hpp"

#include <cstdint>
#include <optional>

namespace lowtide::models {

/// How latents of HiDream-I1 look, or what the checkpoint says; nothing for others.
[[nodiscard]] std::optional<LatentToRgb> hidreamLatentToRgb(Checkpoint& checkpoint,
                                                            int64_t latentChannels);

}  // namespace lowtide::models
