#pragma once
// The network alone in a file: its names, and settings that shapes tell. Torch-free.

#include "plugin/base/json_fwd.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <optional>
#include <string>

namespace lowtide::models {

// Z-Image's transformer alone in a file: its tensors in our names, and the settings that shapes
// tell, as diffusers' config.json states them. Torch-free.

/// Behind a prefix, in Z-Image's own words with one matrix for query, key and value, or in
/// diffusers'. Nothing: the file holds no such transformer.
[[nodiscard]] std::optional<NetworkNaming> zimageNaming(const WeightMap& file);

/// A weight's name in Z-Image's words; a third of a fused matrix is "...attention.qkv.weight[q]".
[[nodiscard]] std::string zimageName(std::string_view name);

/// The transformer's tensors: each fused query, key and value as three runs of the same bytes,
/// learnt tokens [1, width] where GGUF has them [width]. Error{Unsupported} for quantised rows that
/// cannot be cut.
[[nodiscard]] WeightMap zimageMap(const WeightMap& file, const NetworkNaming& naming);

/// Of zimageMap()'s tensors. Error{Corrupt} names one that is missing, Error{Unsupported} a model
/// that is built otherwise. What no shape tells is as published: axes of a head as 2, 3, 3, turned
/// with the base 256.
[[nodiscard]] Json zimageSettings(const WeightMap& transformer);

}  // namespace lowtide::models
