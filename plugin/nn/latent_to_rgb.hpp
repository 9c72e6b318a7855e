#pragma once

#include "plugin/base/json_fwd.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace at {
class Tensor;
}

namespace lowtide::models {

/// How a latent pixel looks, as a linear guess: for previews, which cannot wait for the
/// autoencoder.
struct LatentToRgb {
    using Colour = std::array<double, 3>;

    std::vector<Colour> ofChannels;  ///< what 1 of each channel adds, in -1..1
    Colour ofZero{};                 ///< the colour of a latent of zeros
};

/// `json`: {"channels": [[r, g, b], ...], "zero": [r, g, b]}, "zero" may be missing. Error{Corrupt}
/// names `what` where it is no list of `channels` colours.
[[nodiscard]] LatentToRgb readLatentToRgb(const Json& json,
                                          const std::string& what,
                                          int64_t channels);

/// Latents as the denoiser sees them, [C, h, w] f32, to [3, h, w] in 0..1, where they are. C is the
/// number of `map.ofChannels`.
[[nodiscard]] at::Tensor rgbOf(const at::Tensor& latents, const LatentToRgb& map);

}  // namespace lowtide::models
