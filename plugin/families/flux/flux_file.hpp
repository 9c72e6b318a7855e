#pragma once
// FLUX.1's transformer alone in a file: its tensors in our names, and the settings that shapes
// tell, as diffusers' config.json states them. Torch-free.

#include "plugin/base/json_fwd.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/checkpoints/single_file/beside_file.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace lowtide::models {

/// Shift and scale of the last norm, which files have as one matrix.
inline constexpr const char* kFluxOutputShift = "norm_out.shift";
inline constexpr const char* kFluxOutputScale = "norm_out.scale";

/// Behind a prefix, in its authors' words (Black Forest Labs, ComfyUI, GGUF) or in diffusers'.
/// Nothing: the file holds no such transformer.
[[nodiscard]] std::optional<NetworkNaming> fluxNaming(const WeightMap& file);

/// A weight's name in its authors' words. Parts of a fused matrix are "NAME[q]", "[k]", "[v]", and
/// by number: "[3]" behind these of a single block, shift "[0]" and scale "[1]" of the last norm.
[[nodiscard]] std::string fluxName(std::string_view name);

/// A weight's name in diffusers' words, which are ours but for the last norm: scale "[0]", shift
/// "[1]".
[[nodiscard]] std::string fluxDiffusersName(std::string_view name);

/// The name of an attention's weight as XLabs' LoRAs have it, else the weight's own.
[[nodiscard]] std::string fluxXLabsName(std::string_view name);

/// The map of a file in diffusers' words with its last norm's matrix as two runs of the same bytes;
/// any other map as it is.
[[nodiscard]] WeightMap withFluxOutputParts(WeightMap map);

/// The transformer's tensors: fused matrices as runs of the same bytes. Error{Unsupported} for
/// quantised rows that cannot be cut.
[[nodiscard]] WeightMap fluxMap(const WeightMap& file, const NetworkNaming& naming);

/// Of fluxMap()'s tensors. Error{Corrupt} names one that is missing. What no shape tells is as
/// published: the axes of a head as 2, 7, 7.
[[nodiscard]] Json fluxSettings(const WeightMap& transformer);

}  // namespace lowtide::models
