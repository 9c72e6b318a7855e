#pragma once

#include "plugin/encodings/ggml_fields.hpp"

namespace lowtide::encodings {

/// ggml block_q3_K: for each 16 numbers from -4 to 3 a scale from -32 to 31. The third bits lie
/// apart.
struct Q3KBlock {
    static constexpr int kElements = 256;
    static constexpr int kBytes = 110;
    static constexpr int kHalves[] = {108};

    LOWTIDE_ANYWHERE static void decodeRun(const uint8_t* block, int run, float* target) noexcept {
        const uint8_t* thirdBits = block;
        const uint8_t* bits = block + 32;
        const uint8_t* parts = block + 96;
        const float scale = halfOf(block + 108);
        uint8_t numbers[kRunElements];
        takeBits<32>(numbers, bits + run / 4 * 32, 2 * (run % 4), 2);
        addBits<32>(numbers, thirdBits, run, 1, 2);
        for (int half = 0; half < 2; ++half) {
            const int part = 2 * run + half;
            const int low = parts[part % 8] >> (part < 8 ? 0 : 4) & 0xF;
            const int high = parts[8 + part % 4] >> (part / 4 * 2) & 3;
            scaleTo<16>(target + 16 * half,
                        numbers + 16 * half,
                        scale * static_cast<float>((low | high << 4) - 32),
                        4);
        }
    }
};

}  // namespace lowtide::encodings
