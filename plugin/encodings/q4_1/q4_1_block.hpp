#pragma once

#include "plugin/encodings/ggml_fields.hpp"

namespace lowtide::encodings {

/// ggml block_q4_1: a scale, a minimum, and numbers from 0 to 15.
struct Q41Block {
    static constexpr int kElements = 32;
    static constexpr int kBytes = 20;
    static constexpr int kHalves[] = {0, 2};

    LOWTIDE_ANYWHERE static void decodeRun(const uint8_t* block,
                                           int /*run*/,
                                           float* target) noexcept {
        const float scale = halfOf(block);
        const float least = halfOf(block + 2);
        uint8_t numbers[kRunElements];
        takeBits<16>(numbers, block + 4, 0, 4);
        takeBits<16>(numbers + 16, block + 4, 4, 4);
        scaleAndAdd<16>(target, numbers, scale, least);
        scaleAndAdd<16>(target + 16, numbers + 16, scale, least);
    }
};

}  // namespace lowtide::encodings
