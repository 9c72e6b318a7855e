#pragma once

#include "plugin/models/checkpoint.hpp"
#include "plugin/models/latent_to_rgb.hpp"

#include <cstdint>
#include <optional>

namespace lowtide::models {

/// How latents of HiDream-I1 look, or what the checkpoint says; nothing for others.
[[nodiscard]] std::optional<LatentToRgb> hidreamLatentToRgb(Checkpoint& checkpoint,
                                                            int64_t latentChannels);

}  // namespace lowtide::models
