#pragma once
// Convolutions as products: what lies below the kernel at each pixel is a row of a matrix.

#include <ATen/core/Tensor.h>

#include <optional>

namespace lowtide::tensor::own {

/// Numbers of the rows that are made at once: some MiB, at least a few pixels' rows.
[[nodiscard]] int64_t columnNumbers(const at::Tensor& weight);

/// x [B, C, H, W] with the channels last (withChannelsLast()), weight [O, C, k, k], on the CPU;
/// the result is in channels_last.
[[nodiscard]] at::Tensor convolveByColumns(const at::Tensor& x,
                                           const at::Tensor& weight,
                                           const std::optional<at::Tensor>& bias,
                                           int64_t stride,
                                           int64_t padding);

}  // namespace lowtide::tensor::own
