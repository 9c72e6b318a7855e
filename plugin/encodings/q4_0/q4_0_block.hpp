#pragma once

#include "plugin/encodings/ggml_fields.hpp"

namespace lowtide::encodings {

/// ggml block_q4_0: a scale, and numbers from -8 to 7 in 4 bits: first halves, then second halves.
struct Q40Block {
    static constexpr int kElements = 32;
    static constexpr int kBytes = 18;
    static constexpr int kHalves[] = {0};

    LOWTIDE_ANYWHERE static void decodeRun(const uint8_t* block,
                                           int /*run*/,
                                           float* target) noexcept {
        const float scale = halfOf(block);
        uint8_t numbers[kRunElements];
        takeBits<16>(numbers, block + 2, 0, 4);
        takeBits<16>(numbers + 16, block + 2, 4, 4);
        scaleTo<16>(target, numbers, scale, 8);
        scaleTo<16>(target + 16, numbers + 16, scale, 8);
    }
};

}  // namespace lowtide::encodings
