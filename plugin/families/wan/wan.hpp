#pragma once
// WAN 2.1 and 2.2: how they are recognised, their networks and components, precision and preview
// colours.

#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/nn/latent_space.hpp"
#include "plugin/nn/model.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lowtide::models {

/// Text to video lacks the image encoder, WAN 2.1 the second denoiser.
[[nodiscard]] inline std::vector<ComponentDesc> wanComponents() {
    return {{.role = std::string(kTextEncoder), .label = "Text encoder"},
            {.role = std::string(kImageEncoder), .label = "Image encoder"},
            {.role = std::string(kDenoiser), .label = "Denoiser"},
            {.role = std::string(kSecondDenoiser), .label = "Denoiser, low noise"},
            {.role = std::string(kAutoencoder), .label = "Autoencoder"}};
}

/// The map of a checkpoint (vae/latent_to_rgb.json), or the one for WAN 2.1's 16 channels; nothing
/// for other latents. Error{Corrupt} where the checkpoint's is none.
[[nodiscard]] std::optional<LatentToRgb> wanLatentToRgb(Checkpoint& checkpoint,
                                                        int64_t latentChannels);

/// What WAN states of precision: f32 as files have it, bf16 with what the reference keeps in f32,
/// and f16 sums nowhere.
[[nodiscard]] const memory::FamilyPrecision& wanPrecisions();

}  // namespace lowtide::models
