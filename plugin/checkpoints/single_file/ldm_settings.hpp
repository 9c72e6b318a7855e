#pragma once
// What the shapes of a file in the LDM layout determine of its networks, and checks of what they do
// not. Torch-free.

#include "plugin/base/json_fwd.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/sidecar_file.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <string>

namespace lowtide::models {

// What the shapes of a file in the LDM layout determine of its networks, as the config.json files
// of the diffusers layout would state it. Torch-free.

/// The UNet's settings, from LDM names without their prefix. What shapes do not determine: 32 norm
/// groups; 64 channels a head where the projections are linear (SD 2.x), else 8 heads.
/// Error{Corrupt} names a tensor that is missing, Error{Unsupported} levels that differ in length.
[[nodiscard]] Json unetSettings(const TensorView& tensors);
/// Those of its way down and its middle alone, of a network that has no more.
[[nodiscard]] Json unetDownSettings(const TensorView& tensors);
/// What the numbers in the UNet's names depend on, from its settings.
[[nodiscard]] LdmUNetLayout unetLayout(const Json& settings);

/// The autoencoder's settings, from diffusers' names. What shapes do not determine: 32 norm groups.
/// What the latents are scaled by is not stated.
[[nodiscard]] Json autoencoderSettings(const TensorView& tensors);
/// Levels of an autoencoder, from diffusers' names.
[[nodiscard]] int64_t autoencoderLevels(const TensorView& tensors);

/// The text encoder's settings, from transformers' names. What shapes do not determine: 64 channels
/// a head; "gelu" where it is OpenCLIP's, else "quick_gelu"; the first end token is the one pooled.
[[nodiscard]] Json textEncoderSettings(const TensorView& tensors, bool isOpenClip);
/// The image encoder's settings, from transformers' names. What shapes do not determine (heads,
/// activation) is set for known towers alone: CLIP's ViT-L, OpenCLIP's ViT-H and ViT-bigG.
/// Error{Unsupported} for a file that is no such tower names a tensor that is missing.
[[nodiscard]] Json clipVisionSettings(const WeightMap& file);

// Settings that no shape states are assumed to be the published ones; these checks refuse files
// that cannot have them, and name where to state others. Torch-free.

/// Error{Unsupported} when groups or heads of the UNet do not divide its channels.
void checkUNetConstants(const Json& settings, const std::string& what, const SidecarFile& sidecar);
/// The same for the groups of the autoencoder.
void checkAutoencoderConstants(const Json& settings,
                               const std::string& what,
                               const SidecarFile& sidecar);
/// The same for the heads of the text encoder.
void checkTextConstants(const Json& settings, const std::string& what, const SidecarFile& sidecar);
/// Error{Unsupported} where neither a known image encoder nor the user states the heads.
void checkVisionHeads(const Json& settings, const std::string& what, const SidecarFile& sidecar);

}  // namespace lowtide::models
