#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lowtide {

/// Sizes of a tensor, outermost first; empty is a scalar.
using Shape = std::vector<int64_t>;

/// Product of the sizes; empty when one is negative or the product overflows int64_t.
[[nodiscard]] std::optional<int64_t> elementCount(std::span<const int64_t> shape) noexcept;
/// "[2, 4, 64, 64]".
[[nodiscard]] std::string toText(std::span<const int64_t> shape);

}  // namespace lowtide
