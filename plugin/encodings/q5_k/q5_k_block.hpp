#pragma once

#include "plugin/encodings/ggml_fields.hpp"

namespace lowtide::encodings {

/// ggml block_q5_K: as Q4_K with numbers from 0 to 31, whose fifth bits lie apart.
struct Q5KBlock {
    static constexpr int kElements = 256;
    static constexpr int kBytes = 176;
    static constexpr int kHalves[] = {0, 2};

    LOWTIDE_ANYWHERE static void decodeRun(const uint8_t* block, int run, float* target) noexcept {
        const float scale = halfOf(block);
        const float least = halfOf(block + 2);
        const uint8_t* parts = block + 4;
        const uint8_t* fifthBits = block + 16;
        const uint8_t* bits = block + 48;
        uint8_t numbers[kRunElements];
        takeBits<32>(numbers, bits + run / 2 * 32, run % 2 * 4, 4);
        addBits<32>(numbers, fifthBits, run, 1, 4);
        scaleAndAdd<32>(
            target, numbers, scale * sixBitScale(parts, run), -(least * sixBitLeast(parts, run)));
    }
};

}  // namespace lowtide::encodings
