#pragma once

#include "plugin/memory/wire_value.hpp"

#include <ATen/core/Tensor.h>

#include <vector>

namespace lowtide::models {

/// The tensors of floating numbers that a value on a wire holds; none where it is a model or
/// unknown.
[[nodiscard]] std::vector<at::Tensor> tensorsOf(const memory::WireRef& value);

}  // namespace lowtide::models
