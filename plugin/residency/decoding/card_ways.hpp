#pragma once

#include "plugin/memory/encoded.hpp"

namespace lowtide::residency {

/// Whether a card's kernels decode it in one go, with nothing beside the numbers; else ATen's
/// operators do.
[[nodiscard]] bool hasCardWay(const memory::Encoded& tensor) noexcept;

}  // namespace lowtide::residency
