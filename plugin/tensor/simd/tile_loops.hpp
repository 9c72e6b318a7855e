#pragma once
// Products of f32 rows and weights in 16 bits by tiles of bf16 parts, whose sums are f32. Products
// of parts too small to matter are left out: the result is as near as f32's. Each number is one
// chain of tiles in the order of the depth, so blocks, parts and other rows change no bit.

#include "plugin/tensor/simd/tile_parts.hpp"

namespace lowtide::tensor::simd {
namespace {

/// 32 rows and columns of the result, from `row` and `column` on.
struct TileSums {
    int64_t row;
    int64_t column;
    int64_t rows;  ///< of the result, at most kPair
    int64_t columns;
    const float* bias;  ///< [kPair]; null: the sums go on
};

template <class Tiles, int WeightParts>
void multiplyTiles(const Linear& work,
                   const TileSums& sums,
                   const uint16_t* rows,
                   const uint16_t* weights,
                   int64_t steps,
                   float* memory) {
    float* const result = work.result + sums.row * work.out + sums.column;
    const bool isWhole = sums.rows == kPair && sums.columns == kPair;
    if (sums.bias) {
        Tiles::loadSums(sums.bias, 0);
    } else if (isWhole) {
        Tiles::loadSums(result, work.out);
    } else {
        for (int64_t i = 0; i < sums.rows; ++i) {
            std::memcpy(memory + i * kPair,
                        result + i * work.out,
                        static_cast<size_t>(sums.columns) * sizeof(float));
        }
        Tiles::loadSums(memory, kPair);
    }
    for (int64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 2
        for (int ofWeight = WeightParts - 1; ofWeight >= 0; --ofWeight) {
            Tiles::loadWeights(weights + ofWeight * kPairNumbers);
#pragma GCC unroll 3
            for (int ofRow = kRowParts - 1 - ofWeight; ofRow >= 0; --ofRow) {
                Tiles::multiplyRows(rows + ofRow * kPairNumbers);
            }
        }
        weights += WeightParts * kPairNumbers;
        rows += kRowParts * kPairNumbers;
    }
    if (isWhole) {
        Tiles::storeSums(result, work.out);
        return;
    }
    Tiles::storeSums(memory, kPair);
    for (int64_t i = 0; i < sums.rows; ++i) {
        std::memcpy(result + i * work.out,
                    memory + i * kPair,
                    static_cast<size_t>(sums.columns) * sizeof(float));
    }
}

/// Where parts cannot hold a number (infinities, NaN, what rounds to them), the numbers of
/// linear_loops: those of odd rows, and those of odd columns.
inline void fixPart(const Linear& work,
                    int64_t firstRow,
                    int64_t rowEnd,
                    int64_t firstColumn,
                    int64_t columnEnd,
                    const TileMemory& memory) {
    for (int64_t column = firstColumn; column < columnEnd; column += kTile) {
        const bool isOddColumn = memory.oddColumns[(column - firstColumn) / kTile] != 0;
        const auto isOdd = [&](int64_t row) {
            return isOddColumn || memory.oddRows[row - firstRow] != 0;
        };
        int64_t first = firstRow;
        while (first < rowEnd && !isOdd(first)) {
            ++first;
        }
        if (first == rowEnd) {
            continue;
        }
        const int64_t columns = smaller(kTile, columnEnd - column);
        float biases[kPanelColumns] = {};
        for (int64_t i = 0; work.bias && i < columns; ++i) {
            biases[i] = work.bias[column + i];
        }
        for (int64_t begin = 0; begin < work.in; begin += kBlockDepth) {
            const int64_t end = smaller(work.in, begin + kBlockDepth);
            for (int64_t i = 0; i < kTile; i += kVectorWidth) {
                packVector(work, column + i, begin, end, memory.panel + i);
            }
            for (int64_t row = first; row < rowEnd; ++row) {
                if (isOdd(row)) {
                    multiplyPanelRows<1>({.rows = work.x + row * work.xRow + begin,
                                          .rowStep = work.xRow,
                                          .panel = memory.panel,
                                          .depth = end - begin,
                                          .start = begin == 0 ? biases : nullptr,
                                          .result = work.result + row * work.out + column,
                                          .resultStep = work.out,
                                          .columns = columns});
                }
            }
        }
    }
}

template <class Tiles, int WeightParts>
void multiplyTiledPart(const Linear& work, const LinearCut& cut, int64_t part, float* ofThread) {
    const TileMemory memory(ofThread);
    const int64_t firstRow = part % cut.rowParts * cut.partRows;
    const int64_t rowEnd = smaller(work.rows, firstRow + cut.partRows);
    const int64_t firstColumn = part / cut.rowParts * cut.blockColumns;
    const int64_t columnEnd = smaller(work.out, firstColumn + cut.blockColumns);
    for (int64_t i = 0; i < kTiledRows; ++i) {
        memory.oddRows[i] = 0;
    }
    for (int64_t i = 0; i < kMostTiledColumns / kTile; ++i) {
        memory.oddColumns[i] = 0;
    }
    for (int64_t begin = 0; begin < work.in; begin += kTiledDepth) {
        const int64_t end = smaller(work.in, begin + kTiledDepth);
        const int64_t steps = (end - begin + kTileDepth - 1) / kTileDepth;
        splitRows(work, firstRow, rowEnd, begin, end, memory);
        for (int64_t block = firstColumn; block < columnEnd; block += kTiledColumns) {
            const int64_t blockEnd = smaller(columnEnd, block + kTiledColumns);
            packWeights<WeightParts>(work,
                                     block,
                                     blockEnd,
                                     begin,
                                     end,
                                     memory.weights,
                                     memory.oddColumns + (block - firstColumn) / kTile);
            for (int64_t i = 0; i < kTiledColumns; ++i) {
                memory.biases[i] = work.bias && block + i < blockEnd ? work.bias[block + i] : 0.0F;
            }
            for (int64_t row = firstRow; row < rowEnd; row += kPair) {
                for (int64_t column = block; column < blockEnd; column += kPair) {
                    const TileSums sums{
                        .row = row,
                        .column = column,
                        .rows = smaller(kPair, rowEnd - row),
                        .columns = smaller(kPair, blockEnd - column),
                        .bias = begin == 0 ? memory.biases + column - block : nullptr};
                    multiplyTiles<Tiles, WeightParts>(
                        work,
                        sums,
                        memory.rows + (row - firstRow) * steps * kTileDepth * kRowParts,
                        memory.weights + (column - block) * steps * kTileDepth * WeightParts,
                        steps,
                        memory.sums);
                }
            }
        }
    }
    fixPart(work, firstRow, rowEnd, firstColumn, columnEnd, memory);
}

template <class Tiles>
void multiplyTiledParts(
    const Linear& work, const LinearCut& cut, int64_t begin, int64_t end, float* ofThread) {
    Tiles::open();
    for (int64_t part = begin; part < end; ++part) {
        work.weight.type == WeightType::F16
            ? multiplyTiledPart<Tiles, kMostWeightParts>(work, cut, part, ofThread)
            : multiplyTiledPart<Tiles, 1>(work, cut, part, ofThread);
    }
    Tiles::close();
}

/// `Tiles` has eight of them: four of sums, two of rows, two of weights.
template <class Tiles>
constexpr LinearPieces kTiledPieces = {.leastColumns = kTiledColumns / 2,
                                       .mostColumns = kMostTiledColumns,
                                       .mostRows = kTiledRows,
                                       .rowsOfPanel = kPair,
                                       .numbersOfThread = TileMemory::kNumbers,
                                       .multiply = multiplyTiledParts<Tiles>};

}  // namespace
}  // namespace lowtide::tensor::simd
