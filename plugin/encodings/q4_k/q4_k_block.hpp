#pragma once

#include "plugin/encodings/ggml_fields.hpp"

namespace lowtide::encodings {

/// ggml block_q4_K: for each 32 numbers from 0 to 15 a scale and a minimum of 6 bits.
struct Q4KBlock {
    static constexpr int kElements = 256;
    static constexpr int kBytes = 144;
    static constexpr int kHalves[] = {0, 2};

    LOWTIDE_ANYWHERE static void decodeRun(const uint8_t* block, int run, float* target) noexcept {
        const float scale = halfOf(block);
        const float least = halfOf(block + 2);
        const uint8_t* parts = block + 4;
        const uint8_t* bits = block + 16;
        uint8_t numbers[kRunElements];
        takeBits<32>(numbers, bits + run / 2 * 32, run % 2 * 4, 4);
        scaleAndAdd<32>(
            target, numbers, scale * sixBitScale(parts, run), -(least * sixBitLeast(parts, run)));
    }
};

}  // namespace lowtide::encodings
