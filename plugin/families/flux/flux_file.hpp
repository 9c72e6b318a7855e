#pragma once
// FLUX.1's transformer: its names in files, and the settings derived from shapes. Torch-free.

#include "plugin/checkpoints/network.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <string>
#include <string_view>

namespace lowtide::models {

/// Shift and scale of the last norm, which files have as one matrix.
inline constexpr const char* kFluxOutputShift = "norm_out.shift";
inline constexpr const char* kFluxOutputScale = "norm_out.scale";

/// What users call the transformer that embeds the guidance, and the one that does not.
[[nodiscard]] inline std::string fluxLabel(bool embedsGuidance) {
    return embedsGuidance ? "FLUX.1 dev" : "FLUX.1 schnell";
}

/// All but what opens it.
[[nodiscard]] Network fluxNetwork();

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

}  // namespace lowtide::models
