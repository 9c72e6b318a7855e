#pragma once

#include "plugin/base/dtype.hpp"

#include <c10/core/ScalarType.h>

#include <optional>

namespace lowtide::tensor {

/// Our name of one of ATen's element types; empty for those that safetensors files do not hold.
[[nodiscard]] std::optional<DType> elementTypeOf(c10::ScalarType type) noexcept;

}  // namespace lowtide::tensor
