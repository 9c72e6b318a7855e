#pragma once
// Settings of WAN's networks that shapes tell, as the config.json files of the diffusers layout
// state them. Torch-free.

#include "plugin/base/json_fwd.hpp"
#include "plugin/checkpoints/single_file/beside_file.hpp"
#include "plugin/nn/blocks/tensor_view.hpp"

#include <string>

namespace lowtide::models {

/// Of a denoiser; heads are 128 wide, as in every WAN that was published. Error{Corrupt} names a
/// tensor that is missing.
[[nodiscard]] Json wanDenoiserSettings(const TensorView& tensors);
/// Refuses a denoiser whose heads no shape tells, as long as nobody states them.
void checkWanHeads(const Json& settings, const std::string& what, const BesideFile& beside);

/// Resnets of a level on the way down, of an autoencoder in WAN's names; 1 for what is none.
[[nodiscard]] int64_t wanAutoencoderLayers(const WeightMap& file);
/// Of an autoencoder. Errors as above.
[[nodiscard]] Json wanAutoencoderSettings(const TensorView& tensors);

/// The scheduler_config.json of WAN 2.1's pipelines: UniPC over its flow.
[[nodiscard]] Json wanSchedule();

}  // namespace lowtide::models
