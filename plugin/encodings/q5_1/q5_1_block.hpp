#pragma once

#include "plugin/encodings/ggml_fields.hpp"

namespace lowtide::encodings {

/// ggml block_q5_1: a scale, a minimum, the fifth bits, and numbers from 0 to 31.
struct Q51Block {
    static constexpr int kElements = 32;
    static constexpr int kBytes = 24;
    static constexpr int kHalves[] = {0, 2};

    LOWTIDE_ANYWHERE static void decodeRun(const uint8_t* block,
                                           int /*run*/,
                                           float* target) noexcept {
        const float scale = halfOf(block);
        const float least = halfOf(block + 2);
        uint8_t numbers[kRunElements];
        takeBits<16>(numbers, block + 8, 0, 4);
        takeBits<16>(numbers + 16, block + 8, 4, 4);
        addFifthBits(numbers, block + 4);
        scaleAndAdd<kElements>(target, numbers, scale, least);
    }
};

}  // namespace lowtide::encodings
