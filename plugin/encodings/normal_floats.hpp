#pragma once

#include "plugin/encodings/anywhere.hpp"

#include <array>
#include <cstdint>

namespace lowtide::encodings {

/// Quantiles of a normal distribution (QLoRA, arXiv 2305.14314, appendix E), as bitsandbytes has
/// them.
LOWTIDE_ANYWHERE constexpr std::array<float, 16> normalFloats() noexcept {
    return {-1.0F,
            -0.6961928009986877F,
            -0.5250730514526367F,
            -0.39491748809814453F,
            -0.28444138169288635F,
            -0.18477343022823334F,
            -0.09105003625154495F,
            0.0F,
            0.07958029955625534F,
            0.16093020141124725F,
            0.24611230194568634F,
            0.33791524171829224F,
            0.44070982933044434F,
            0.5626170039176941F,
            0.7229568362236023F,
            1.0F};
}

/// So many largest magnitudes of blocks have a largest one of their own.
inline constexpr int64_t kNestedBlock = 256;

}  // namespace lowtide::encodings
