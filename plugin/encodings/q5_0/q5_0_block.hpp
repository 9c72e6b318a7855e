#pragma once

#include "plugin/encodings/ggml_fields.hpp"

namespace lowtide::encodings {

/// ggml block_q5_0: a scale, the fifth bits, and numbers from -16 to 15.
struct Q50Block {
    static constexpr int kElements = 32;
    static constexpr int kBytes = 22;
    static constexpr int kHalves[] = {0};

    LOWTIDE_ANYWHERE static void decodeRun(const uint8_t* block,
                                           int /*run*/,
                                           float* target) noexcept {
        const float scale = halfOf(block);
        uint8_t numbers[kRunElements];
        takeBits<16>(numbers, block + 6, 0, 4);
        takeBits<16>(numbers + 16, block + 6, 4, 4);
        addFifthBits(numbers, block + 2);
        scaleTo<kElements>(target, numbers, scale, 16);
    }
};

}  // namespace lowtide::encodings
