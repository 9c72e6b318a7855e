#pragma once

#include "plugin/encodings/ggml_fields.hpp"

namespace lowtide::encodings {

/// ggml block_q2_K: for each 16 numbers of 2 bits a scale and a minimum of 4 bits.
struct Q2KBlock {
    static constexpr int kElements = 256;
    static constexpr int kBytes = 84;
    static constexpr int kHalves[] = {80, 82};

    LOWTIDE_ANYWHERE static void decodeRun(const uint8_t* block, int run, float* target) noexcept {
        const uint8_t* parts = block;
        const uint8_t* bits = block + 16;
        const float scale = halfOf(block + 80);
        const float least = halfOf(block + 82);
        uint8_t numbers[kRunElements];
        takeBits<32>(numbers, bits + run / 4 * 32, 2 * (run % 4), 2);
        for (int half = 0; half < 2; ++half) {
            const int part = parts[2 * run + half];
            scaleAndAdd<16>(target + 16 * half,
                            numbers + 16 * half,
                            scale * static_cast<float>(part & 0xF),
                            -(least * static_cast<float>(part >> 4)));
        }
    }
};

}  // namespace lowtide::encodings
