#pragma once
// Joins quantised weights of a file with their scales: ComfyUI's formats and those of bitsandbytes.
// Reads settings, no weight.

#include "plugin/checkpoints/quantised/layer_settings.hpp"

#include <set>
#include <string>
#include <string_view>

namespace lowtide::models {

/// Joins the quantised weights of one file with their scales: afterwards each is one tensor of the
/// shape that it decodes to, and what lay next to it is no tensor any more. ComfyUI's formats
/// (float8_e4m3fn, float8_e5m2, int8_tensorwise also rotated, mxfp8, nvfp4; old files'
/// scale_weight), bitsandbytes' int8 and nf4 as diffusers saves them. Reads settings of layers, no
/// weight. Scales of activations are left out: activations keep their precision here. The names
/// that are gone. Error{Corrupt} and Error{Unsupported} name file and tensor.
std::set<std::string> foldQuantised(TensorLocations& tensors,
                                    const FileMetadata& metadata,
                                    const files::InputFile& file);

/// The weight that needs the tensor of that name to be decoded; empty: none does.
[[nodiscard]] std::string weightDecodedBy(std::string_view name);

}  // namespace lowtide::models
