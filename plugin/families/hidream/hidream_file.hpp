#pragma once
// The network alone in a file: its names, and settings that shapes tell. Torch-free.

#include "plugin/base/json_fwd.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/checkpoints/single_file/beside_file.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <optional>
#include <string>

namespace lowtide::models {

/// What stands before the names, which all tools have as diffusers. Nothing: it is no such file.
[[nodiscard]] std::optional<NetworkNaming> hidreamNaming(const WeightMap& file);

/// Error{Corrupt} names a tensor that is missing. What no shape tells is as published: heads 128
/// wide, two experts of a token, a language model of 32 layers.
[[nodiscard]] Json hidreamSettings(const TensorView& tensors);

/// Error{Unsupported} for one whose heads no shape tells and nobody stated.
void checkHiDreamHeads(const Json& settings, const std::string& what, const BesideFile& beside);

}  // namespace lowtide::models
