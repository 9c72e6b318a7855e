#pragma once

#include "plugin/base/json.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <map>
#include <string>
#include <string_view>

namespace lowtide::models {

using TensorLocations = std::map<std::string, TensorLocation, std::less<>>;
using FileMetadata = std::map<std::string, std::string, std::less<>>;

/// A tensor of bytes that hold JSON, as ComfyUI and bitsandbytes write settings of a layer.
/// Error{Corrupt} names file and tensor.
[[nodiscard]] Json settingsIn(const TensorLocations& tensors,
                              const std::string& name,
                              const files::InputFile& file);

/// How ComfyUI quantised which layer ("model.diffusion_model.out.2"): {"format": ...}. From a
/// layer's comfy_quant, from the header's _quantization_metadata, or where only scales are there,
/// from their names and the weight's type. Source: ComfyUI's comfy/utils.py and comfy/ops.py.
[[nodiscard]] std::map<std::string, Json> comfyLayers(const TensorLocations& tensors,
                                                      const FileMetadata& metadata,
                                                      const files::InputFile& file);

}  // namespace lowtide::models
