#pragma once

#include "plugin/host_api/host.hpp"

#include <ATen/core/Tensor.h>

namespace lowtide::tensor {

/// Red, green, blue.
inline constexpr int64_t kPictureChannels = 3;

/// An 8-bit picture as [1, 3, H, W] f32 in 0..1, in host memory. Grey becomes three equal channels,
/// alpha is left out: what is transparent keeps its colour. Source: Pillow convert("RGB"), x / 255.
[[nodiscard]] at::Tensor pixelsOf(const Image8& picture);

/// Where it is transparent: [1, 1, H, W] f32, 1 - alpha; zeros for a picture without alpha.
[[nodiscard]] at::Tensor transparencyOf(const Image8& picture);

}  // namespace lowtide::tensor
