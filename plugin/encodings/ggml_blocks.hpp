#pragma once
// What the encodings of GGUF files share: blocks of numbers with their scales inside.

#include "plugin/encodings/encoding.hpp"
#include "plugin/encodings/half.hpp"
#include "plugin/encodings/wide.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::encodings {

/// target[i] = scale * (numbers[i] - base), in f32.
template <int kCount, typename Integer>
LOWTIDE_INLINE void scaleTo(float* __restrict__ target,
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
LOWTIDE_INLINE void scaleAndAdd(float* __restrict__ target,
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
LOWTIDE_INLINE void takeBits(uint8_t* __restrict__ numbers,
                             const uint8_t* __restrict__ bytes,
                             int shift,
                             int width) noexcept {
    const auto mask = static_cast<uint8_t>((1 << width) - 1);
    LOWTIDE_ROLLED
    for (int i = 0; i < kCount; ++i) {
        numbers[i] = static_cast<uint8_t>(bytes[i] >> shift) & mask;
    }
}

/// Adds bits [shift, shift + width) of bytes[i] to numbers[i], at bit `place`.
template <int kCount>
LOWTIDE_INLINE void addBits(uint8_t* __restrict__ numbers,
                            const uint8_t* __restrict__ bytes,
                            int shift,
                            int width,
                            int place) noexcept {
    const auto mask = static_cast<uint8_t>((1 << width) - 1);
    LOWTIDE_ROLLED
    for (int i = 0; i < kCount; ++i) {
        numbers[i] |=
            static_cast<uint8_t>((static_cast<uint8_t>(bytes[i] >> shift) & mask) << place);
    }
}

/// Adds 16 to those of 32 numbers whose bit of the word at `bytes` is set.
LOWTIDE_INLINE void addFifthBits(uint8_t* __restrict__ numbers, const uint8_t* bytes) noexcept {
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

LOWTIDE_INLINE float halfOf(const uint8_t* bytes) noexcept {
    return halfAt(reinterpret_cast<const std::byte*>(bytes));
}

/// Writes the half nearest to a number.
LOWTIDE_INLINE void putHalf(uint8_t* bytes, float value) noexcept {
    const uint16_t bits = halfBits(value);
    std::memcpy(bytes, &bits, sizeof(bits));
}

/// The largest magnitude of so many numbers, a multiple of eight.
template <int kCount>
LOWTIDE_INLINE float largestOf(const float* __restrict__ numbers) noexcept {
    float largest[8] = {};
    for (int i = 0; i < kCount; i += 8) {
        LOWTIDE_ROLLED
        for (int lane = 0; lane < 8; ++lane) {
            largest[lane] = std::max(largest[lane], std::fabs(numbers[i + lane]));
        }
    }
    return *std::max_element(largest, largest + 8);
}

/// Of Q4_K and Q5_K: the scale of run 0 to 7 among twelve bytes.
LOWTIDE_INLINE float sixBitScale(const uint8_t* parts, int run) noexcept {
    return static_cast<float>(run < 4 ? parts[run] & 63
                                      : (parts[run + 4] & 0xF) | (parts[run - 4] >> 6) << 4);
}

/// The minimum of that run.
LOWTIDE_INLINE float sixBitLeast(const uint8_t* parts, int run) noexcept {
    return static_cast<float>(run < 4 ? parts[run + 4] & 63
                                      : parts[run + 4] >> 4 | (parts[run] >> 6) << 4);
}

/// All blocks of a part, one after the other.
template <typename Block>
struct BlockLoop {
    LOWTIDE_INLINE static void run(const std::byte* blocks, int64_t count, float* target) noexcept {
        for (int64_t i = 0; i < count; ++i) {
            Block::decode(reinterpret_cast<const uint8_t*>(blocks + i * Block::kBytes),
                          target + i * Block::kElements);
        }
    }
};

template <typename Block>
void decodeGgml(const StoredPart& stored, float* target) {
    runLoop<BlockLoop<Block>>(stored.blocks, stored.part.count / Block::kElements, target);
}

template <typename Block>
struct EncodingLoop {
    LOWTIDE_INLINE static void run(const float* numbers,
                                   int64_t count,
                                   std::byte* blocks) noexcept {
        for (int64_t i = 0; i < count; ++i) {
            Block::encode(numbers + i * Block::kElements,
                          reinterpret_cast<uint8_t*>(blocks + i * Block::kBytes));
        }
    }
};

template <typename Block>
void encodeGgml(const StoredPart& part, const float* numbers, std::byte* blocks) {
    runLoop<EncodingLoop<Block>>(numbers, part.part.count / Block::kElements, blocks);
}

/// The first half number of a block that is NaN or infinite.
template <typename Block>
std::optional<std::string> ggmlFault(const StoredPart& stored) {
    for (int64_t i = 0; i < stored.part.count / Block::kElements; ++i) {
        for (const int place : Block::kHalves) {
            if (!isHalfFinite(stored.blocks + i * Block::kBytes + place)) {
                return "the scale of block " +
                       std::to_string(stored.part.first / Block::kElements + i) +
                       " is no finite number";
            }
        }
    }
    return std::nullopt;
}

template <typename Block>
Encoding ggmlEncoding(std::string_view name, std::string_view label) {
    return {.name = name, .label = label, .fault = ggmlFault<Block>, .decode = decodeGgml<Block>};
}

/// The same of blocks that are written too.
template <typename Block>
Encoding writtenGgmlEncoding(std::string_view name, std::string_view label) {
    Encoding encoding = ggmlEncoding<Block>(name, label);
    encoding.encode = encodeGgml<Block>;
    return encoding;
}

}  // namespace lowtide::encodings
