#pragma once
// Decoded images as tensors, and tensors at another size with exactly the levels that Pillow gives.

#include "plugin/host_api/host.hpp"
#include "plugin/image/image_file.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/core/Tensor.h>

namespace lowtide::tensor {

/// Red, green, blue.
inline constexpr int64_t kImageChannels = 3;

/// An image as [1, 3, H, W] f32 in 0..1, in host memory: levels divided by 255, or by 65535 where
/// it has 16 bits. Grey becomes three equal channels, alpha is left out: what is transparent keeps
/// its colour. Source: Pillow convert("RGB"), x / 255.
[[nodiscard]] at::Tensor pixelsOf(const image::DecodedImage& image);

/// A frame of 3 channels becomes frame `index` of [F, 3, H, W] f32 in host memory, as pixelsOf().
void putFrame(const at::Tensor& frames, int64_t index, const Image8& frame);

/// Where it is transparent: [1, 1, H, W] f32, 1 - alpha; zeros for an image without alpha.
[[nodiscard]] at::Tensor transparencyOf(const image::DecodedImage& image);

/// The first channel of an image as [1, 1, H, W] f32 in 0..1, in host memory.
[[nodiscard]] at::Tensor planeOf(const Image8& image);

/// Images [B, 3, H, W] in 0..1 at another size, by `filter` on levels of 8 bits: exactly the levels
/// that Pillow 13 gives, which rounds between its two passes and takes rows first where the height
/// shrinks by more than twice what the width does. The image itself where it has the size.
/// Source: Pillow Resample.c, ImagingResampleInner and ImagingResampleHorizontal_8bpc.
[[nodiscard]] at::Tensor resizedImage(const at::Tensor& pixels,
                                      int64_t height,
                                      int64_t width,
                                      kernels::Resample filter = kernels::Resample::Lanczos);

}  // namespace lowtide::tensor
