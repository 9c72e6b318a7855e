#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lowtide::models {

/// What CLIP's tower sees of pictures [N, 3, H, W] in 0..1: the shorter edge becomes `side` pixels
/// long (bicubic, on levels of 8 bits), the middle is cut out, and mean and deviation of CLIP's
/// pictures become 0 and 1: [N, 3, side, side] f32. Source: transformers 5.23
/// CLIPImageProcessorPil.
[[nodiscard]] at::Tensor clipPixels(const at::Tensor& pictures, int64_t side);

}  // namespace lowtide::models
