#pragma once
// The toy's transformer alone in a file: its names, and the settings that shapes give. Torch-free.

#include "plugin/checkpoints/network.hpp"

#include <string>

namespace lowtide::models {

inline constexpr const char* kToyClass = "ToyTransformer2DModel";
inline constexpr const char* kToyPipelineClass = "ToyTransformerPipeline";

/// All but what opens it.
[[nodiscard]] Network toyNetwork();

/// Of the settings of a folder or a file: "Toy of 2 blocks".
[[nodiscard]] std::string toyLabel(Checkpoint& checkpoint);

}  // namespace lowtide::models
