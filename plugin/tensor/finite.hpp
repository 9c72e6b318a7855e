#pragma once

#include <ATen/core/Tensor.h>

namespace lowtide::tensor {

/// The sum of floating numbers, f32 [] on their device, without a host wait: finite where all of
/// them are. A sum beyond f32 counts as infinite, which takes numbers above 1e29.
[[nodiscard]] at::Tensor finiteSum(const at::Tensor& value);
/// Whether a finiteSum() is finite: one number fetched to the host. On shapes it always is.
[[nodiscard]] bool isFiniteSum(const at::Tensor& sum);
/// Whether every number of `value` is finite, exactly; takes a byte for each meanwhile. What holds
/// no floating numbers is finite.
[[nodiscard]] bool isFinite(const at::Tensor& value);

}  // namespace lowtide::tensor
