#include "plugin/encodings/q4_k/q4_k_block.hpp"
#include "plugin/encodings/q4_k/q4_k_search.hpp"

#include <cstring>

namespace lowtide::encodings {

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
                int32_t places[Q4KRun::kElements];
                tried.place(numbers, places);
                sums.takePlaces(numbers, places);
                const double error = sums.error(tried);
                if (error < bestError) {
                    bestError = error;
                    bestScale = s;
                    bestLeast = l;
                    std::memcpy(best, places, sizeof(best));
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

}  // namespace lowtide::encodings
