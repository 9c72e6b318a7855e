#pragma once
// Latents at another size.

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lowtide::tensor::kernels {

/// How latents get another size. None of them averages over more pixels when it shrinks, but Area.
enum class Interpolation : uint8_t {
    NearestExact,  ///< the pixel below the target pixel's centre
    Bilinear,
    Bicubic,  ///< Keys' cubic with a = -0.75; goes beyond the values that are there
    Area,     ///< the mean of the source pixels that a target pixel touches
    Bislerp   ///< as Bilinear, but along the arc between two pixels' vectors of channels
};

/// x [B, C, H, W] f32 at another size, where it lies: along the width, then the height.
/// Sources: torch.nn.functional.interpolate without antialiasing and aligned corners, which is what
/// ComfyUI's common_upscale asks for; ComfyUI's bislerp: lengths of the vectors go linearly, nearly
/// equal directions (cosine above 1 - 1e-5) take the first pixel, nearly opposite ones a line.
[[nodiscard]] at::Tensor interpolate(const at::Tensor& x,
                                     int64_t height,
                                     int64_t width,
                                     Interpolation how);

}  // namespace lowtide::tensor::kernels
