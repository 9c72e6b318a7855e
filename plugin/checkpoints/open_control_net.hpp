#pragma once
// Opens ControlNets and T2I-Adapters by their headers, whatever their layout. Torch-free.

#include "plugin/checkpoints/checkpoint_paths.hpp"
#include "plugin/nn/controls/control_net.hpp"

#include <memory>
#include <optional>
#include <string>

namespace lowtide::models {

/// A folder in the diffusers layout (config.json next to the weights, fp16 variants too), or one
/// file with cldm's names (below "control_model." or without) or those of diffusers, whose settings
/// follow from its shapes. No weight is read. Error{Unsupported}, Error{Corrupt}, Error{NotFound}
/// name file, setting or tensor.
[[nodiscard]] std::shared_ptr<const ControlNet> openControlNet(const CheckpointPath& path);

/// By the names of its tensors alone.
[[nodiscard]] bool looksLikeControlNet(const WeightMap& file);

/// What users call it, by its header or config.json alone: "ControlNet for SD 1.x". Nothing: what
/// lies there is no ControlNet that is built.
[[nodiscard]] std::optional<std::string> whatControlNetIs(const WeightMap& file);
[[nodiscard]] std::optional<std::string> whatControlNetIs(const CheckpointPath& folder);

}  // namespace lowtide::models
