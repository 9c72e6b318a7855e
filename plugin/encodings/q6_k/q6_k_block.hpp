#pragma once

#include "plugin/encodings/ggml_fields.hpp"

namespace lowtide::encodings {

/// ggml block_q6_K: for each 16 numbers from -32 to 31 a scale of one byte. The upper two bits lie
/// apart.
struct Q6KBlock {
    static constexpr int kElements = 256;
    static constexpr int kBytes = 210;
    static constexpr int kHalves[] = {208};

    LOWTIDE_ANYWHERE static void decodeRun(const uint8_t* block, int run, float* target) noexcept {
        const uint8_t* bits = block;
        const uint8_t* upperBits = block + 128;
        const auto* parts = reinterpret_cast<const int8_t*>(block + 192);
        const float scale = halfOf(block + 208);
        const int chunk = run / 4;
        uint8_t numbers[kRunElements];
        takeBits<32>(numbers, bits + 64 * chunk + run % 2 * 32, run % 4 / 2 * 4, 4);
        addBits<32>(numbers, upperBits + 32 * chunk, run % 4 * 2, 2, 4);
        for (int half = 0; half < 2; ++half) {
            scaleTo<16>(target + 16 * half,
                        numbers + 16 * half,
                        scale * static_cast<float>(parts[2 * run + half]),
                        32);
        }
    }
};

}  // namespace lowtide::encodings
