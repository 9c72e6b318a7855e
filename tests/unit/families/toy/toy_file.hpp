#pragma once
// The toy's transformer alone in a file: its names, and the settings that shapes give. Torch-free.

#include "plugin/base/json_fwd.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace lowtide::models {

struct Layout;

inline constexpr const char* kToyClass = "ToyTransformer2DModel";
inline constexpr const char* kToyPipelineClass = "ToyTransformerPipeline";

/// Behind a prefix, in the toy's own words with one matrix for query, key and value, or in
/// diffusers'. Nothing: the file holds no such transformer.
[[nodiscard]] std::optional<NetworkNaming> toyNaming(const WeightMap& file);

/// A weight's name in the toy's words; a third of a fused matrix is "toys.0.qkv.weight[q]".
[[nodiscard]] std::string toyName(std::string_view name);

/// The transformer's tensors, each fused matrix as three runs of the same bytes.
[[nodiscard]] WeightMap toyMap(const WeightMap& file, const NetworkNaming& naming);

/// Of toyMap()'s tensors, as diffusers' config.json states them. Error{Corrupt} names a tensor that
/// is missing.
[[nodiscard]] Json toySettings(const WeightMap& transformer);

/// Of the settings of a folder or a file: "Toy of 2 blocks".
[[nodiscard]] std::string toyLabel(Checkpoint& checkpoint);

/// The transformer alone in a file, or as GGUF.
[[nodiscard]] const Layout& toyFile();

}  // namespace lowtide::models
