#pragma once
// What files of the LDM layouts have in common: denoiser, autoencoder and text encoder.
// Torch-free.

#include "plugin/checkpoints/single_file/single_file.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace lowtide::models {

/// A header that outlives the call: functions of FileParts read it later.
using SharedHeader = std::shared_ptr<const WeightFileHeader>;

[[nodiscard]] SharedHeader sharedHeader(const ModelSource& source);

/// Whether the file has the first convolution of a denoiser in LDM's words, under `prefix`.
[[nodiscard]] bool hasLdmUNet(const WeightMap& file, std::string_view prefix);
/// Whether there is one in a whole checkpoint's place, and something of another network beside it.
[[nodiscard]] bool isLdmCheckpoint(const WeightMap& file);
/// Channels that the denoiser takes; 0: that tensor is none of a convolution.
[[nodiscard]] int64_t ldmInputChannels(const WeightMap& file, std::string_view prefix);

[[nodiscard]] FileNetwork ldmUNet(const SharedHeader& file, std::string_view prefix);
/// An autoencoder under `prefix`, in LDM's or diffusers' names. `constants`: settings that no shape
/// tells; all there are where the file has no autoencoder.
[[nodiscard]] FileNetwork ldmAutoencoder(const SharedHeader& file,
                                         std::string_view prefix,
                                         Json constants);
/// A text encoder of CLIP's whose map `weights` makes. `isOpenClip`: as textEncoderSettings().
[[nodiscard]] FileNetwork ldmTextEncoder(std::function<WeightMap()> weights, bool isOpenClip);

}  // namespace lowtide::models
