#pragma once
// Blocks of 32 numbers in GGUF files, and how the fields of all are taken apart, 16 or 32 numbers
// at a time.

#include "plugin/encodings/small_floats.hpp"

#include <cstring>

namespace lowtide::encodings {

/// So many numbers of a block are decoded at once.
inline constexpr int kRunElements = 32;

/// target[i] = scale * (numbers[i] - base), in f32.
template <int kCount, typename Integer>
LOWTIDE_ANYWHERE void scaleTo(float* __restrict__ target,
                              const Integer* __restrict__ numbers,
                              float scale,
                              int base = 0) noexcept {
    LOWTIDE_ROLLED
    for (int i = 0; i < kCount; ++i) {
        target[i] = scale * static_cast<float>(numbers[i] - base);
    }
}

/// target[i] = scale * numbers[i] + added, in f32.
template <int kCount>
LOWTIDE_ANYWHERE void scaleAndAdd(float* __restrict__ target,
                                  const uint8_t* __restrict__ numbers,
                                  float scale,
                                  float added) noexcept {
    LOWTIDE_ROLLED
    for (int i = 0; i < kCount; ++i) {
        target[i] = scale * static_cast<float>(numbers[i]) + added;
    }
}

/// numbers[i] = bits [shift, shift + width) of bytes[i].
template <int kCount>
LOWTIDE_ANYWHERE void takeBits(uint8_t* __restrict__ numbers,
                               const uint8_t* __restrict__ bytes,
                               int shift,
                               int width) noexcept {
    const auto mask = static_cast<uint8_t>((1 << width) - 1);
    LOWTIDE_ROLLED
    for (int i = 0; i < kCount; ++i) {
        numbers[i] = static_cast<uint8_t>(bytes[i] >> shift) & mask;
    }
}

/// Adds bits [shift, shift + width) of bytes[i] to numbers[i], at bit `store`.
template <int kCount>
LOWTIDE_ANYWHERE void addBits(uint8_t* __restrict__ numbers,
                              const uint8_t* __restrict__ bytes,
                              int shift,
                              int width,
                              int store) noexcept {
    const auto mask = static_cast<uint8_t>((1 << width) - 1);
    LOWTIDE_ROLLED
    for (int i = 0; i < kCount; ++i) {
        numbers[i] |=
            static_cast<uint8_t>((static_cast<uint8_t>(bytes[i] >> shift) & mask) << store);
    }
}

/// Adds 16 to those of 32 numbers whose bit of the word at `bytes` is set.
LOWTIDE_ANYWHERE void addFifthBits(uint8_t* __restrict__ numbers, const uint8_t* bytes) noexcept {
    constexpr uint64_t kEach = 0x0101010101010101;
    constexpr uint64_t kBitOfEach = 0x8040201008040201;  // bit 0 in byte 0, bit 1 in byte 1, ...
    for (int i = 0; i < 4; ++i) {
        const uint64_t bits = bytes[i] * kEach & kBitOfEach;
        const uint64_t isSet = (bits + 0x7F * kEach) & 0x80 * kEach;
        uint64_t eight = 0;
        std::memcpy(&eight, numbers + 8 * i, sizeof(eight));
        eight |= isSet >> 3;
        std::memcpy(numbers + 8 * i, &eight, sizeof(eight));
    }
}

LOWTIDE_ANYWHERE float halfOf(const uint8_t* bytes) noexcept {
    return halfAt(reinterpret_cast<const std::byte*>(bytes));
}

/// Of Q4_K and Q5_K: the scale of run 0 to 7 among twelve bytes.
LOWTIDE_ANYWHERE float sixBitScale(const uint8_t* parts, int run) noexcept {
    return static_cast<float>(run < 4 ? parts[run] & 63
                                      : (parts[run + 4] & 0xF) | (parts[run - 4] >> 6) << 4);
}

/// The minimum of that run.
LOWTIDE_ANYWHERE float sixBitLeast(const uint8_t* parts, int run) noexcept {
    return static_cast<float>(run < 4 ? parts[run + 4] & 63
                                      : parts[run + 4] >> 4 | (parts[run] >> 6) << 4);
}

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

/// ggml block_q8_0: a scale, and numbers of one byte.
struct Q80Block {
    static constexpr int kElements = 32;
    static constexpr int kBytes = 34;
    static constexpr int kHalves[] = {0};

    LOWTIDE_ANYWHERE static void decodeRun(const uint8_t* block,
                                           int /*run*/,
                                           float* target) noexcept {
        scaleTo<kElements>(target, reinterpret_cast<const int8_t*>(block + 2), halfOf(block));
    }
};

}  // namespace lowtide::encodings
