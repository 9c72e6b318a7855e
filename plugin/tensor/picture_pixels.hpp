#pragma once

#include "plugin/host_api/host.hpp"
#include "plugin/image/picture_file.hpp"

#include <ATen/core/Tensor.h>

namespace lowtide::tensor {

/// Red, green, blue.
inline constexpr int64_t kPictureChannels = 3;

/// A picture as [1, 3, H, W] f32 in 0..1, in host memory: levels divided by 255, or by 65535 where
/// it has 16 bits. Grey becomes three equal channels, alpha is left out: what is transparent keeps
/// its colour. Source: Pillow convert("RGB"), x / 255.
[[nodiscard]] at::Tensor pixelsOf(const image::DecodedPicture& picture);

/// A frame of 3 channels becomes frame `index` of [F, 3, H, W] f32 in host memory, as pixelsOf().
void putFrame(const at::Tensor& frames, int64_t index, const Image8& frame);

/// Where it is transparent: [1, 1, H, W] f32, 1 - alpha; zeros for a picture without alpha.
[[nodiscard]] at::Tensor transparencyOf(const image::DecodedPicture& picture);

/// The first channel of a picture as [1, 1, H, W] f32 in 0..1, in host memory.
[[nodiscard]] at::Tensor planeOf(const Image8& picture);

}  // namespace lowtide::tensor
