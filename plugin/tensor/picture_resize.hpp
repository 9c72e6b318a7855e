#pragma once

#include "plugin/tensor/kernels.hpp"

#include <ATen/core/Tensor.h>

namespace lowtide::tensor {

/// Pictures [B, 3, H, W] in 0..1 at another size, by `filter` on levels of 8 bits: the very levels
/// that Pillow 13 gives, which rounds between its two passes and takes rows first where the height
/// shrinks by more than twice what the width does. The picture itself where it has the size.
/// Source: Pillow Resample.c, ImagingResampleInner and ImagingResampleHorizontal_8bpc.
[[nodiscard]] at::Tensor resizedPicture(const at::Tensor& pixels,
                                        int64_t height,
                                        int64_t width,
                                        kernels::Resample filter = kernels::Resample::Lanczos);

}  // namespace lowtide::tensor
