#pragma once
// Resizing of pictures along one axis by the few source pixels below each filter. An operator of
// the CPU, f32, known to ATen's dispatcher; bits depend neither on threads nor on the batch.

#include "plugin/tensor/kernels.hpp"

#include <cstdint>

namespace lowtide::tensor::own {

/// Whether resampledAxis() takes `x`: all but what lies on a CUDA card.
[[nodiscard]] bool takesResampling(const at::Tensor& x);

/// x [B, C, H, W] to `length` along axis 2 or 3, clamped to 0..1.
[[nodiscard]] at::Tensor resampledAxis(const at::Tensor& x,
                                       int64_t axis,
                                       int64_t length,
                                       kernels::Resample filter);

/// Numbers of scratch memory that it allocates at once.
[[nodiscard]] int64_t resamplingScratch(int64_t source, int64_t target, kernels::Resample filter);

}  // namespace lowtide::tensor::own
