#pragma once
// CLIP's encoders of texts and of pictures in files of their own, and settings that shapes tell of
// towers. Torch-free.

#include "plugin/base/json_fwd.hpp"
#include "plugin/checkpoints/single_file/beside_file.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <string>

namespace lowtide::models {

/// The settings that a file's shapes tell, as a config.json has them; what they do not tell (heads,
/// activation) of known towers alone: CLIP's ViT-L, OpenCLIP's ViT-H and ViT-bigG.
/// Error{Unsupported} for a file that is no such tower names a tensor that is missing.
[[nodiscard]] Json clipVisionSettings(const WeightMap& file);
/// Error{Unsupported} where neither a known tower nor a person states the heads.
void checkVisionHeads(const Json& settings, const std::string& what, const BesideFile& beside);

}  // namespace lowtide::models
