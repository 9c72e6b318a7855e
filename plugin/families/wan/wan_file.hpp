#pragma once
// WAN's networks alone in files: their names, and settings derived from shapes. Torch-free.

#include "plugin/checkpoints/network.hpp"

#include <optional>
#include <string_view>

namespace lowtide::models {

struct Layout;

/// The transformer, all but what opens it.
[[nodiscard]] Network wanNetwork();

/// The autoencoder alone, in its own names (Wan2.1_VAE.pth, wan_2.1_vae) or diffusers'.
[[nodiscard]] const Layout& wanAutoencoderFile();

/// Which of WAN 2.2's two models a file holds, by its name: true, the high-noise one; nothing where
/// the name does not state it. No tensor reveals it.
[[nodiscard]] std::optional<bool> isHighNoise(std::string_view fileName);

}  // namespace lowtide::models
