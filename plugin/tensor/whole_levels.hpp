#pragma once

#include <ATen/core/Tensor.h>

namespace lowtide::tensor {

/// Values in 0..1 as levels 0..255 in f64. What is a level of an 8-bit picture but for the accuracy
/// of f32 is that whole number.
[[nodiscard]] at::Tensor levelsOf(const at::Tensor& values);

}  // namespace lowtide::tensor
