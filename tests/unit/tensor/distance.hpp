#pragma once

#include <ATen/ATen.h>

namespace lowtide::tensor {

/// Relative L2 of what is computed against double precision.
[[nodiscard]] inline double distance(const at::Tensor& value, const at::Tensor& exact) {
    const at::Tensor difference = value.to(at::kDouble) - exact;
    return (difference.norm() / exact.norm()).item<double>();
}

}  // namespace lowtide::tensor
