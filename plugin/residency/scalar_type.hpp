#pragma once

#include "plugin/base/units.hpp"

#include <c10/core/ScalarType.h>

namespace lowtide::residency {

/// ATen's name of one of our element types.
[[nodiscard]] c10::ScalarType scalarTypeOf(DType type) noexcept;

}  // namespace lowtide::residency
