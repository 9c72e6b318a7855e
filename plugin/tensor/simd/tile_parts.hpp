#pragma once
// Numbers as sums of bf16 parts, put into tiles: of x three parts, of weights as many as they take,
// both exactly.
// Source: Henry, Tang and Heinecke 2019, "Leveraging the bfloat16 Artificial Intelligence
// Datatype For Higher-Precision Computations".

#include "plugin/tensor/simd/linear_loops.hpp"

namespace lowtide::tensor::simd {
namespace {

constexpr int64_t kTile = 16;                         ///< rows, and columns of f32
constexpr int64_t kTileDepth = 32;                    ///< of bf16
constexpr int64_t kTileNumbers = kTile * kTileDepth;  ///< of bf16
constexpr int64_t kPair = 2 * kTile;                  ///< rows and columns of four sums
constexpr int64_t kPairNumbers = 2 * kTileNumbers;
constexpr int kRowParts = 3;            ///< of x
constexpr int kMostWeightParts = 2;     ///< of f16; bf16 is one
constexpr int64_t kTiledRows = 256;     ///< of a part, and with their parts in L2
constexpr int64_t kTiledColumns = 256;  ///< of weights, likewise
constexpr int64_t kTiledDepth = 1024;
constexpr int64_t kMostTiledColumns = 4 * kTiledColumns;  ///< for which rows are split once

using Bits = uint32_t __attribute__((vector_size(kVectorWidth * sizeof(uint32_t))));
using HalfBits = uint16_t __attribute__((vector_size(kVectorWidth * sizeof(uint16_t))));
constexpr uint32_t kExponent = 0x7f800000;

/// The memory of a thread.
struct TileMemory {
    uint16_t* rows;     ///< [kTiledRows / kPair][depth / kTileDepth][part][2][16][32]
    uint16_t* weights;  ///< [kTiledColumns / kPair][depth / kTileDepth][part][2][16 pairs][16][2]
    float* sums;        ///< [kPair][kPair], where a result has fewer
    float* biases;      ///< [kTiledColumns]
    float* panel;       ///< [kBlockDepth][kPanelColumns]
    uint32_t* oddRows;  ///< [kTiledRows]: not 0 where parts cannot hold a number
    uint32_t* oddColumns;  ///< [kMostTiledColumns / kTile]

    static constexpr int64_t kRowNumbers = kTiledRows * kTiledDepth * kRowParts / 2;
    static constexpr int64_t kWeightNumbers = kTiledColumns * kTiledDepth * kMostWeightParts / 2;
    static constexpr int64_t kNumbers = kRowNumbers + kWeightNumbers + kPair * kPair +
                                        kTiledColumns + kBlockDepth * kPanelColumns + kTiledRows +
                                        kMostTiledColumns / kTile;

    explicit TileMemory(float* memory)
        : rows(reinterpret_cast<uint16_t*>(memory)),
          weights(reinterpret_cast<uint16_t*>(memory + kRowNumbers)),
          sums(memory + kRowNumbers + kWeightNumbers),
          biases(sums + kPair * kPair),
          panel(biases + kTiledColumns),
          oddRows(reinterpret_cast<uint32_t*>(panel + kBlockDepth * kPanelColumns)),
          oddColumns(oddRows + kTiledRows) {}
};

/// Cuts bf16 parts off `values`, each the nearest one of what is left, to part[i * partStep].
/// Returns bits that are set where one has the exponent of infinities.
template <int Parts>
Bits splitNumbers(Vector values, uint16_t* part, int64_t partStep) {
    constexpr uint32_t kBelowHalf = 0x7fff;
    constexpr uint32_t kUpper = 0xffff0000;
    constexpr int kShift = 16;
    Bits odd{};
    for (int i = 0; i < Parts; ++i, part += partStep) {
        const Bits bits = Bits(values);
        const Bits rounded = bits + kBelowHalf + ((bits >> kShift) & 1);
        const HalfBits halves = __builtin_convertvector(rounded >> kShift, HalfBits);
        std::memcpy(part, &halves, sizeof(halves));
        if (i == 0) {
            odd = Bits(((bits & kExponent) == kExponent) | ((rounded & kExponent) == kExponent));
        }
        values = values - Vector(rounded & kUpper);
    }
    return odd;
}

inline bool isAny(Bits bits) {
    uint32_t any = 0;
    for (int i = 0; i < kVectorWidth; ++i) {
        any |= bits[i];
    }
    return any != 0;
}

/// Rows [first, end) of x at depths [begin, depthEnd) to their tiles; zeros where there are none.
inline void splitRows(const Linear& work,
                      int64_t first,
                      int64_t end,
                      int64_t begin,
                      int64_t depthEnd,
                      const TileMemory& memory) {
    const int64_t steps = (depthEnd - begin + kTileDepth - 1) / kTileDepth;
    const int64_t padded = (end - first + kPair - 1) / kPair * kPair;
    for (int64_t row = 0; row < padded; ++row) {
        const bool isRow = first + row < end;
        const float* from = work.x + (first + row) * work.xRow;
        Bits odd{};
        for (int64_t step = 0; step < steps; ++step) {
            uint16_t* tile = memory.rows +
                             ((row / kPair * steps + step) * kRowParts * 2 + row % kPair / kTile) *
                                 kTileNumbers +
                             row % kTile * kTileDepth;
            for (int64_t i = 0; i < kTileDepth; i += kVectorWidth) {
                const int64_t depth = begin + step * kTileDepth + i;
                const int64_t count = isRow && depth < depthEnd ? depthEnd - depth : 0;
                odd |= splitNumbers<kRowParts>(
                    count > 0 ? loadSome(from + depth, count) : Vector{}, tile + i, kPairNumbers);
            }
        }
        memory.oddRows[row] |= isAny(odd) ? 1 : 0;
    }
}

/// Not 0 where one of the pairs has a number with the exponent of infinities.
inline Bits oddPairs(Vector pairs) {
    constexpr int kShift = 16;
    const Bits upper = Bits(pairs) & kExponent;
    const Bits lower = (Bits(pairs) << kShift) & kExponent;
    return Bits((upper == kExponent) | (lower == kExponent));
}

/// [16 columns][16 pairs of depths] to [16 pairs][16 columns]. Returns oddPairs() of all.
inline Bits transposeTile(const uint16_t* from, int64_t step, uint16_t* to) {
    Bits odd{};
    for (int64_t column = 0; column < kTile; column += kVectorWidth) {
        for (int64_t pair = 0; pair < kTile; pair += kVectorWidth) {
            Vector square[kVectorWidth];
#pragma GCC unroll 16
            for (int i = 0; i < kVectorWidth; ++i) {
                std::memcpy(&square[i], from + (column + i) * step + 2 * pair, sizeof(Vector));
                odd |= oddPairs(square[i]);
            }
            transpose(square);
#pragma GCC unroll 16
            for (int i = 0; i < kVectorWidth; ++i) {
                std::memcpy(to + ((pair + i) * kTile + column) * 2, &square[i], sizeof(Vector));
            }
        }
    }
    return odd;
}

/// The weights [16 columns][32 depths] from `column` and `depth` on, in bf16 parts, to `parts`;
/// zeros where there are none.
template <int Parts>
void splitWeights(const Linear& work,
                  int64_t column,
                  int64_t depth,
                  int64_t depthEnd,
                  uint16_t (&parts)[Parts][kTile][kTileDepth]) {
    for (int64_t c = 0; c < kTile; ++c) {
        for (int64_t k = 0; k < kTileDepth; k += kVectorWidth) {
            const int64_t count =
                column + c < work.out ? smaller(kVectorWidth, depthEnd - depth - k) : 0;
            Vector values{};
            if (work.isTransposed) {
                for (int64_t i = 0; i < count; ++i) {
                    const int64_t row = (depth + k + i) * work.weightRow;
                    values[i] = loadWeights(work.weight, row + column + c, 1)[0];
                }
            } else if (count > 0) {
                const int64_t row = (column + c) * work.weightRow;
                values = loadWeights(work.weight, row + depth + k, count);
            }
            splitNumbers<Parts>(values, parts[0][c] + k, kTileNumbers);
        }
    }
}

/// 16 columns of the weight at 32 depths to a tile of each part. Returns whether parts cannot hold
/// a number.
template <int Parts>
bool packTile(const Linear& work, int64_t column, int64_t depth, int64_t depthEnd, uint16_t* tile) {
    const bool isWhole = column + kTile <= work.out && depth + kTileDepth <= depthEnd;
    if (Parts == 1 && isWhole && !work.isTransposed) {  // as it lies
        const auto* numbers = static_cast<const uint16_t*>(work.weight.data);
        return isAny(
            transposeTile(numbers + column * work.weightRow + depth, work.weightRow, tile));
    }
    alignas(sizeof(Vector)) uint16_t parts[Parts][kTile][kTileDepth];
    splitWeights(work, column, depth, depthEnd, parts);
    const Bits odd = transposeTile(parts[0][0], kTileDepth, tile);
    for (int part = 1; part < Parts; ++part) {
        transposeTile(parts[part][0], kTileDepth, tile + part * kPairNumbers);
    }
    return isAny(odd);
}

/// Columns [first, end) of the result at depths [begin, depthEnd) to tiles of the weight.
template <int Parts>
void packWeights(const Linear& work,
                 int64_t first,
                 int64_t end,
                 int64_t begin,
                 int64_t depthEnd,
                 uint16_t* weights,
                 uint32_t* oddColumns) {
    const int64_t steps = (depthEnd - begin + kTileDepth - 1) / kTileDepth;
    const int64_t padded = (end - first + kPair - 1) / kPair * kPair;
    for (int64_t column = 0; column < padded; column += kTile) {
        for (int64_t step = 0; step < steps; ++step) {
            uint16_t* tile =
                weights + ((column / kPair * steps + step) * Parts * 2 + column % kPair / kTile) *
                              kTileNumbers;
            oddColumns[column / kTile] |=
                packTile<Parts>(work, first + column, begin + step * kTileDepth, depthEnd, tile)
                    ? 1
                    : 0;
        }
    }
}

}  // namespace
}  // namespace lowtide::tensor::simd
