// Compiled with AVX2: so it has nothing that is shared with other files, as templates are.

#include "plugin/tensor/simd/tile_loops.hpp"

namespace lowtide::tensor {

const simd::LinearPieces& modelTilePieces();  // products_test

namespace {

using simd::kTile;
using simd::kTileDepth;

/// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, TDPBF16PS: denormals count
/// as zeros, even and odd depths are summed apart.
struct ModelTiles {
    static void open() {}

    static void close() {}

    static void loadSums(const float* c, int64_t step) {
        for (int64_t row = 0; row < 2 * kTile; ++row) {
            __builtin_memcpy(sums_[row], c + row * step, sizeof(sums_[row]));
        }
    }

    static void storeSums(float* c, int64_t step) {
        for (int64_t row = 0; row < 2 * kTile; ++row) {
            __builtin_memcpy(c + row * step, sums_[row], sizeof(sums_[row]));
        }
    }

    static void loadWeights(const uint16_t* tiles) {
        for (int64_t pair = 0; pair < kTile; ++pair) {
            for (int64_t column = 0; column < 2 * kTile; ++column) {
                const uint16_t* numbers =
                    tiles + ((column / kTile * kTile + pair) * kTile + column % kTile) * 2;
                even_[pair][column] = numberOf(numbers[0]);
                odd_[pair][column] = numberOf(numbers[1]);
            }
        }
    }

    static void multiplyRows(const uint16_t* tiles) {
        for (int64_t row = 0; row < 2 * kTile; ++row) {
            const uint16_t* numbers = tiles + row * kTileDepth;
            float even[2 * kTile] = {}, odd[2 * kTile] = {};
            for (int64_t pair = 0; pair < kTile; ++pair) {
                const float first = numberOf(numbers[2 * pair]);
                const float second = numberOf(numbers[2 * pair + 1]);
                for (int64_t column = 0; column < 2 * kTile; ++column) {
                    even[column] =
                        flushed(__builtin_fmaf(first, even_[pair][column], even[column]));
                    odd[column] = flushed(__builtin_fmaf(second, odd_[pair][column], odd[column]));
                }
            }
            for (int64_t column = 0; column < 2 * kTile; ++column) {
                sums_[row][column] =
                    flushed(flushed(sums_[row][column]) + flushed(even[column] + odd[column]));
            }
        }
    }

private:
    static float numberOf(uint16_t bf16) {
        constexpr int kShift = 16;
        const uint32_t bits = uint32_t{bf16} << kShift;
        float number = 0;
        __builtin_memcpy(&number, &bits, sizeof(number));
        return flushed(number);
    }

    static float flushed(float number) {
        constexpr float kLeast = 0x1p-126F;
        return __builtin_fabsf(number) < kLeast ? 0.0F : number;
    }

    static inline float sums_[2 * kTile][2 * kTile];
    static inline float even_[kTile][2 * kTile];  ///< weights
    static inline float odd_[kTile][2 * kTile];
};

}  // namespace

const simd::LinearPieces& modelTilePieces() {
    return simd::kTiledPieces<ModelTiles>;
}

}  // namespace lowtide::tensor
