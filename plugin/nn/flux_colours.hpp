#pragma once

#include "plugin/nn/latent_to_rgb.hpp"

namespace lowtide::models {

/// Of FLUX's autoencoder, which other families use too, at its scale and shift: figures of Flux in
/// ComfyUI's latent_formats.py.
[[nodiscard]] const LatentToRgb& fluxColours();

}  // namespace lowtide::models
