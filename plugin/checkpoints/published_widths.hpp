#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace lowtide::models {

/// Narrower than every published network: made to try things. Only the model that it is chosen for
/// can tell whether it fits.
inline constexpr int64_t kNarrowestPublished = 512;

/// Whether a network that wide may be one of those that are read here, which are published with
/// `widths`.
[[nodiscard]] inline bool mayBeOneOf(std::span<const int64_t> widths, int64_t width) {
    return width < kNarrowestPublished ||
           std::find(widths.begin(), widths.end(), width) != widths.end();
}

}  // namespace lowtide::models
