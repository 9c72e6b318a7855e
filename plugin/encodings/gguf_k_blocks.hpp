#pragma once
// Blocks of 256 numbers in GGUF files, in runs with scales of their own.

#include "plugin/encodings/gguf_blocks.hpp"

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
