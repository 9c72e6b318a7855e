#pragma once
// Images and latents at another size: filters as Pillow defines them, along one axis at a time,
// and interpolation as torch and ComfyUI have it.

#include "plugin/tensor/kernels.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>

namespace lowtide::tensor {

/// Source pixels below the filter of one target pixel, at most.
[[nodiscard]] int64_t mostTaps(int64_t source, int64_t target, kernels::Resample filter);

/// Gives for each of `target` pixels, in order, the first of `source` pixels below its filter and
/// the weights of it and those that follow; they sum to 1. A shrinking filter is widened by the
/// scale, so that every source pixel counts. Source: Pillow Resample.c, precompute_coeffs.
void forEachTarget(int64_t source,
                   int64_t target,
                   kernels::Resample filter,
                   const std::function<void(int64_t first, std::span<const double> weights)>& take);

}  // namespace lowtide::tensor

namespace lowtide::tensor::own {

// Resizing of images along one axis by the few source pixels below each filter. An operator of
// the CPU, f32, known to ATen's dispatcher; bits depend neither on threads nor on the batch.

/// Whether resampledAxis() takes `x`: all but what lies on a CUDA GPU.
[[nodiscard]] bool takesResampling(const at::Tensor& x);

/// x [B, C, H, W] to `length` along axis 2 or 3, clamped to 0..1.
[[nodiscard]] at::Tensor resampledAxis(const at::Tensor& x,
                                       int64_t axis,
                                       int64_t length,
                                       kernels::Resample filter);

/// Numbers of scratch memory that it allocates at once.
[[nodiscard]] int64_t resamplingScratch(int64_t source, int64_t target, kernels::Resample filter);

}  // namespace lowtide::tensor::own

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
