#pragma once
// What the encodings of GGUF files share: blocks of numbers with their scales inside.

#include "plugin/encodings/encoding.hpp"
#include "plugin/encodings/ggml_fields.hpp"
#include "plugin/encodings/wide.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lowtide::encodings {

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

/// All blocks of a part, one after the other.
template <typename Block>
struct BlockLoop {
    LOWTIDE_INLINE static void run(const std::byte* blocks, int64_t count, float* target) noexcept {
        for (int64_t i = 0; i < count; ++i) {
            const auto* block = reinterpret_cast<const uint8_t*>(blocks + i * Block::kBytes);
            float* numbers = target + i * Block::kElements;
            for (int run = 0; run < Block::kElements / kRunElements; ++run) {
                Block::decodeRun(block, run, numbers + run * kRunElements);
            }
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
