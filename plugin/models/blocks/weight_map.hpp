#pragma once
// Finds and opens the weight files of one component. Torch-free, headers only.

#include "plugin/models/blocks/network_builder.hpp"

#include <string>

namespace lowtide::models {

/// The tensors of a component's folder ("unet") of the checkpoint folder `root`. Looked for in this
/// order: "<stem>.safetensors",
/// "<stem>.safetensors.index.json" with its shards, then the same as fp16 variants. `stem` is
/// "model" or "diffusion_pytorch_model". Errors: NotFound names the folder and what was looked for,
/// Unsupported names weights in another format, Corrupt names file and tensor.
[[nodiscard]] WeightMap openWeights(const std::string& root,
                                    const std::string& component,
                                    const std::string& stem);

}  // namespace lowtide::models
