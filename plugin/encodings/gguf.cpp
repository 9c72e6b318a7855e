// The encodings of GGUF files: loops over their blocks, and the writers of Q8_0 and Q4_K.

#include "plugin/base/message.hpp"
#include "plugin/encodings/anywhere.hpp"
#include "plugin/encodings/encodings.hpp"
#include "plugin/encodings/gguf_blocks.hpp"
#include "plugin/encodings/gguf_k_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

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
        for (int element = 0; element < 8; ++element) {
            largest[element] = std::max(largest[element], std::fabs(numbers[i + element]));
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
std::optional<Message> ggmlFault(const StoredPart& stored) {
    for (int64_t i = 0; i < stored.part.count / Block::kElements; ++i) {
        for (const int store : Block::kHalves) {
            if (!isHalfFinite(stored.blocks + i * Block::kBytes + store)) {
                return message("the scale of block {} is no finite number",
                               stored.part.first / Block::kElements + i);
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

/// 32 numbers as scale * (0 to 15) - least; both are at least 0.
struct Q4KRun {
    static constexpr int kElements = 32;
    static constexpr int kLargest = 15;

    float scale = 0;
    float least = 0;

    /// numbers[i] in units of the scale, above the minimum.
    LOWTIDE_INLINE void store(const float* __restrict__ numbers,
                              int32_t* __restrict__ positions) const noexcept {
        const float inverse = scale > 0 ? 1 / scale : 0;
        const float added = least * inverse + 0.5F;
        LOWTIDE_ROLLED
        for (int i = 0; i < kElements; ++i) {
            const float store = std::min(numbers[i] * inverse + added, kLargest + 0.5F);
            positions[i] = static_cast<int32_t>(std::max(store, 0.0F));
        }
    }
};

/// The sums over a run that its squared error is made of. Eight partial sums each, added in their
/// order: the same bits whatever the instructions.
struct Q4KSums {
    float numbers = 0;   ///< sum of x
    float squares = 0;   ///< of x * x
    float products = 0;  ///< of x * position
    int32_t positions = 0;
    int32_t positionSquares = 0;

    LOWTIDE_INLINE static float sumOf(const float* partial) noexcept {
        return ((partial[0] + partial[1]) + (partial[2] + partial[3])) +
               ((partial[4] + partial[5]) + (partial[6] + partial[7]));
    }

    LOWTIDE_INLINE void takeNumbers(const float* __restrict__ x) noexcept {
        float sums[8] = {};
        float squareSums[8] = {};
        for (int i = 0; i < Q4KRun::kElements; i += 8) {
            LOWTIDE_ROLLED
            for (int element = 0; element < 8; ++element) {
                sums[element] += x[i + element];
                squareSums[element] += x[i + element] * x[i + element];
            }
        }
        numbers = sumOf(sums);
        squares = sumOf(squareSums);
    }

    LOWTIDE_INLINE void sumPositions(const float* __restrict__ x,
                                     const int32_t* __restrict__ at) noexcept {
        float sums[8] = {};
        positions = 0;
        positionSquares = 0;
        for (int i = 0; i < Q4KRun::kElements; i += 8) {
            LOWTIDE_ROLLED
            for (int element = 0; element < 8; ++element) {
                sums[element] += x[i + element] * static_cast<float>(at[i + element]);
            }
        }
        LOWTIDE_ROLLED
        for (int i = 0; i < Q4KRun::kElements; ++i) {
            positions += at[i];
            positionSquares += at[i] * at[i];
        }
        products = sumOf(sums);
    }

    /// The squared error with these positions.
    [[nodiscard]] LOWTIDE_INLINE double error(const Q4KRun& run) const noexcept {
        const double scale = run.scale;
        const double least = run.least;
        return squares + scale * scale * positionSquares + Q4KRun::kElements * least * least +
               2 * (least * numbers - scale * products - scale * least * positions);
    }

    /// The scale and minimum with the least squared error for these positions; the minimum at most
    /// 0.
    [[nodiscard]] LOWTIDE_INLINE Q4KRun best() const noexcept {
        const double count = Q4KRun::kElements;
        const double spread = count * positionSquares - double(positions) * positions;
        if (spread <= 0) {
            return {0, std::max(-numbers / static_cast<float>(count), 0.0F)};
        }
        const double scale = (count * products - double(numbers) * positions) / spread;
        const double least =
            (double(products) * positions - double(numbers) * positionSquares) / spread;
        if (least < 0 || scale < 0) {
            return {std::max(products / static_cast<float>(positionSquares), 0.0F), 0};
        }
        return {static_cast<float>(scale), static_cast<float>(least)};
    }
};

/// Tries positions for a range from a little narrower to a little wider than that of the numbers,
/// and fits scale and minimum to each by least squares.
LOWTIDE_INLINE Q4KRun searchQ4K(const float* numbers) noexcept {
    constexpr int kTries = 16;
    constexpr float kNarrowest = 13.4F;  // the range in units of the scale
    constexpr float kStep = 0.2F;
    const auto [low, high] = std::minmax_element(numbers, numbers + Q4KRun::kElements);
    const float least = std::max(-*low, 0.0F);
    const float range = *high + least;
    Q4KSums sums;
    sums.takeNumbers(numbers);
    int32_t positions[Q4KRun::kElements] = {};
    sums.sumPositions(numbers, positions);
    Q4KRun best = sums.best();
    double bestError = sums.error(best);
    for (int i = 0; i < kTries && range > 0; ++i) {
        Q4KRun tried{range / (kNarrowest + kStep * static_cast<float>(i)), least};
        tried.store(numbers, positions);
        sums.sumPositions(numbers, positions);
        tried = sums.best();
        const double error = sums.error(tried);
        if (error < bestError) {
            best = tried;
            bestError = error;
        }
    }
    return best;
}

Encoding q4_0() {
    return ggmlEncoding<Q40Block>("q4_0", "GGUF Q4_0");
}

Encoding q4_1() {
    return ggmlEncoding<Q41Block>("q4_1", "GGUF Q4_1");
}

Encoding q5_0() {
    return ggmlEncoding<Q50Block>("q5_0", "GGUF Q5_0");
}

Encoding q5_1() {
    return ggmlEncoding<Q51Block>("q5_1", "GGUF Q5_1");
}

namespace {

/// The same, written.
struct Q80Writer : Q80Block {
    /// In units of a scale that is not yet a half, rounded away from zero: as the Python package
    /// gguf 0.19.0.
    LOWTIDE_INLINE static void encode(const float* numbers, uint8_t* block) noexcept {
        const float scale = largestOf<kElements>(numbers) / 127;
        const float inverse = 1 / scale;
        const float factor = inverse <= std::numeric_limits<float>::max() ? inverse : 0;
        putHalf(block, scale);
        auto* values = reinterpret_cast<int8_t*>(block + 2);
        LOWTIDE_ROLLED
        for (int i = 0; i < kElements; ++i) {
            const float exact = numbers[i] * factor;
            const float magnitude = std::fabs(exact);
            const auto whole = static_cast<int32_t>(magnitude);
            const int32_t rounded = whole + (magnitude - static_cast<float>(whole) >= 0.5F);
            values[i] = static_cast<int8_t>(exact < 0 ? -rounded : rounded);
        }
    }
};

}  // namespace

Encoding q8_0() {
    return writtenGgmlEncoding<Q80Writer>("q8_0", "GGUF Q8_0");
}

Encoding q2_k() {
    return ggmlEncoding<Q2KBlock>("q2_k", "GGUF Q2_K");
}

Encoding q3_k() {
    return ggmlEncoding<Q3KBlock>("q3_k", "GGUF Q3_K");
}

namespace {

/// The same, written.
struct Q4KWriter : Q4KBlock {
    /// Searches each run, then rounds scales and minima to six bits of the block's two halves and
    /// tries their neighbours.
    LOWTIDE_INLINE static void encode(const float* numbers, uint8_t* block) noexcept {
        Q4KRun runs[kRuns];
        float scale = 0;
        float least = 0;
        for (int run = 0; run < kRuns; ++run) {
            runs[run] = searchQ4K(numbers + run * Q4KRun::kElements);
            scale = std::max(scale, runs[run].scale);
            least = std::max(least, runs[run].least);
        }
        std::memset(block, 0, kBytes);
        putHalf(block, scale / kLargestPart);
        putHalf(block + 2, least / kLargestPart);
        for (int run = 0; run < kRuns; ++run) {
            encodeRun(numbers + run * Q4KRun::kElements, runs[run], run, block);
        }
    }

private:
    static constexpr int kRuns = 8;
    static constexpr int kLargestPart = 63;

    /// `wished` in units of the block's half, rounded.
    LOWTIDE_INLINE static int partOf(float wished, float unit) noexcept {
        const float part = unit > 0 ? wished / unit + 0.5F : 0;
        return static_cast<int>(std::min(part, static_cast<float>(kLargestPart)));
    }

    LOWTIDE_INLINE static void encodeRun(const float* numbers,
                                         const Q4KRun& wished,
                                         int run,
                                         uint8_t* block) noexcept {
        const float scaleUnit = halfOf(block);
        const float leastUnit = halfOf(block + 2);
        const int scalePart = partOf(wished.scale, scaleUnit);
        const int leastPart = partOf(wished.least, leastUnit);
        Q4KSums sums;
        sums.takeNumbers(numbers);
        int32_t best[Q4KRun::kElements] = {};
        int bestScale = 0;
        int bestLeast = 0;
        double bestError = sums.error({});
        for (int s = std::max(scalePart - 1, 0); s <= std::min(scalePart + 1, kLargestPart); ++s) {
            for (int l = std::max(leastPart - 1, 0); l <= std::min(leastPart + 1, kLargestPart);
                 ++l) {
                const Q4KRun tried{scaleUnit * static_cast<float>(s),
                                   leastUnit * static_cast<float>(l)};
                int32_t positions[Q4KRun::kElements];
                tried.store(numbers, positions);
                sums.sumPositions(numbers, positions);
                const double error = sums.error(tried);
                if (error < bestError) {
                    bestError = error;
                    bestScale = s;
                    bestLeast = l;
                    std::memcpy(best, positions, sizeof(best));
                }
            }
        }
        putParts(block + 4, run, bestScale, bestLeast);
        for (int i = 0; i < Q4KRun::kElements; ++i) {
            block[16 + run / 2 * 32 + i] |= static_cast<uint8_t>(best[i] << run % 2 * 4);
        }
    }

    /// The opposite of sixBitScale() and sixBitLeast(); the bytes were 0.
    LOWTIDE_INLINE static void putParts(uint8_t* parts, int run, int scale, int least) noexcept {
        if (run < 4) {
            parts[run] |= static_cast<uint8_t>(scale);
            parts[run + 4] |= static_cast<uint8_t>(least);
            return;
        }
        parts[run + 4] = static_cast<uint8_t>((scale & 0xF) | (least & 0xF) << 4);
        parts[run - 4] |= static_cast<uint8_t>(scale >> 4 << 6);
        parts[run] |= static_cast<uint8_t>(least >> 4 << 6);
    }
};

}  // namespace

Encoding q4_k() {
    return writtenGgmlEncoding<Q4KWriter>("q4_k", "GGUF Q4_K");
}

Encoding q5_k() {
    return ggmlEncoding<Q5KBlock>("q5_k", "GGUF Q5_K");
}

Encoding q6_k() {
    return ggmlEncoding<Q6KBlock>("q6_k", "GGUF Q6_K");
}

}  // namespace lowtide::encodings
