#pragma once

#include "plugin/nn/blocks/network_builder.hpp"

#include <optional>
#include <string_view>

namespace lowtide::models {

/// Whether a UNet of Stable Diffusion 2.x was trained to predict velocity, by the standard
/// deviation of the bias of the last transformer's first norm: above 0.09 it was. Nothing where the
/// file has no such tensor. `prefix`: of the UNet's names. Reads the tensor.
/// Source: measured by ComfyUI (supported_models.py, SD20), which goes by it alone.
[[nodiscard]] std::optional<bool> biasLooksLikeVelocity(const WeightMap& file,
                                                        std::string_view prefix);

}  // namespace lowtide::models
