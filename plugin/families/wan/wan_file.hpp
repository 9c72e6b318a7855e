#pragma once
// WAN's networks alone in files: their names, and settings that shapes tell. Torch-free.

#include "plugin/checkpoints/network.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::models {

// Names of weights in WAN's own files, from those of diffusers and transformers, which our networks
// use. Torch-free.

/// "blocks.0.attn1.to_q.weight" -> "blocks.0.self_attn.q.weight". Source: Wan 2.1
/// wan/modules/model.py; diffusers' convert_wan_to_diffusers.py.
[[nodiscard]] std::string wanDenoiserName(std::string_view name);

/// In WAN's own words, behind a prefix or not, or in diffusers'. Nothing where the file has no such
/// denoiser.
[[nodiscard]] std::optional<NetworkNaming> wanNaming(const WeightMap& file);

/// Which of WAN 2.2's two models a file holds, by its name: true, the high-noise one; nothing where
/// the name does not say it. No tensor tells.
[[nodiscard]] std::optional<bool> isHighNoise(std::string_view fileName);

/// "decoder.up_blocks.1.resnets.0.norm1.gamma" -> "decoder.upsamples.4.residual.0.gamma" of an
/// autoencoder with `layers` resnets for each level on the way down. Source: wan/modules/vae.py.
[[nodiscard]] std::string wanAutoencoderName(std::string_view name, int64_t layers);

}  // namespace lowtide::models
