#pragma once
// Products of f32 rows and weights in 16 bits, which are widened panel by panel, so that no copy of
// a weight remains. Each number is one chain of fused multiply-adds from its bias on, in the order
// of the depth: blocks, parts and other rows change no bit.
// Source: Goto and van de Geijn 2008, "Anatomy of High-Performance Matrix Multiplication".

#include "plugin/tensor/simd/pieces.hpp"
#include "plugin/tensor/simd/weights.hpp"

#include <limits>

namespace lowtide::tensor::simd {
namespace {

constexpr int kPanelVectors = 3;
constexpr int kPanelColumns = kPanelVectors * kVectorWidth;
constexpr int kPanelRows = kVectorWidth == 16 ? 8 : 4;  ///< their sums remain in registers
constexpr int64_t kBlockPanels = 8;
constexpr int64_t kBlockDepth = 320;  ///< a block of panels lies in L2, rows of it in L1

/// Columns [column, column + kVectorWidth) of the result at depths [begin, end) to
/// panel[depth][kPanelColumns]; zeros for columns that are not there.
inline void packVector(
    const Linear& work, int64_t column, int64_t begin, int64_t end, float* panel) {
    const int64_t columns = smaller(kVectorWidth, work.out - column);
    if (work.isTransposed) {
        for (int64_t depth = begin; depth < end; ++depth, panel += kPanelColumns) {
            store(panel, loadWeights(work.weight, depth * work.weightRow + column, columns));
        }
        return;
    }
    for (int64_t depth = begin; depth < end; depth += kVectorWidth) {
        const int64_t depths = smaller(kVectorWidth, end - depth);
        Vector rows[kVectorWidth];
#pragma GCC unroll 16
        for (int i = 0; i < kVectorWidth; ++i) {
            const int64_t row = (column + i) * work.weightRow;
            rows[i] = i < columns ? loadWeights(work.weight, row + depth, depths) : Vector{};
        }
        transpose(rows);
        for (int64_t i = 0; i < depths; ++i, panel += kPanelColumns) {
            store(panel, rows[i]);
        }
    }
}

/// Some rows of a panel's columns: their sums begin at `start`, or at what stands in the result.
struct PanelProduct {
    const float* rows;
    int64_t rowStep;
    const float* panel;
    int64_t depth;
    const float* start;  ///< [kPanelColumns]; null: the sums go on
    float* result;
    int64_t resultStep;
    int64_t columns;  ///< of the result, at most kPanelColumns
};

/// Columns of the result in one of the panel's vectors.
inline int64_t columnsOf(const PanelProduct& work, int vector) {
    const int64_t columns = work.columns - vector * kVectorWidth;
    return columns < 0 ? 0 : columns;
}

template <int Rows>
void multiplyPanelRows(const PanelProduct& work) {
    Vector sums[Rows][kPanelVectors];
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 3
        for (int v = 0; v < kPanelVectors; ++v) {
            sums[i][v] = work.start ? load(work.start + v * kVectorWidth)
                                    : loadSome(work.result + i * work.resultStep + v * kVectorWidth,
                                               columnsOf(work, v));
        }
    }
    const float* rows = work.rows;
    const float* panel = work.panel;
    for (int64_t k = 0; k < work.depth; ++k, ++rows, panel += kPanelColumns) {
        Vector weights[kPanelVectors];
#pragma GCC unroll 3
        for (int v = 0; v < kPanelVectors; ++v) {
            weights[v] = load(panel + v * kVectorWidth);
        }
#pragma GCC unroll 8
        for (int i = 0; i < Rows; ++i) {
            const Vector factor = all(rows[i * work.rowStep]);
#pragma GCC unroll 3
            for (int v = 0; v < kPanelVectors; ++v) {
                sums[i][v] += factor * weights[v];
            }
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 3
        for (int v = 0; v < kPanelVectors; ++v) {
            storeSome(work.result + i * work.resultStep + v * kVectorWidth,
                      sums[i][v],
                      columnsOf(work, v));
        }
    }
}

template <int... Rows>
void multiplySomePanelRows(const PanelProduct& work,
                           int64_t rows,
                           std::integer_sequence<int, Rows...>) {
    using Kernel = void (*)(const PanelProduct&);
    static constexpr Kernel kKernels[] = {multiplyPanelRows<Rows + 1>...};
    kKernels[rows - 1](work);
}

/// One part of the result: a block of columns of some rows. `panels` holds kBlockPanels panels of
/// kBlockDepth rows, and behind them one row of biases each.
inline void multiplyPart(const Linear& work, const LinearCut& cut, int64_t part, float* panels) {
    const int64_t firstRow = part % cut.rowParts * cut.partRows;
    const int64_t rowEnd = smaller(work.rows, firstRow + cut.partRows);
    const int64_t firstColumn = part / cut.rowParts * cut.blockColumns;
    const int64_t columnEnd = smaller(work.out, firstColumn + cut.blockColumns);
    float* const biases = panels + kBlockPanels * kPanelColumns * kBlockDepth;
    for (int64_t i = 0; i < kBlockPanels * kPanelColumns; ++i) {
        const bool isAny = work.bias && firstColumn + i < columnEnd;
        biases[i] = isAny ? work.bias[firstColumn + i] : 0.0F;
    }
    for (int64_t begin = 0; begin < work.in; begin += kBlockDepth) {
        const int64_t end = smaller(work.in, begin + kBlockDepth);
        for (int64_t column = firstColumn; column < columnEnd; column += kVectorWidth) {
            const int64_t inBlock = column - firstColumn;
            packVector(work,
                       column,
                       begin,
                       end,
                       panels + inBlock / kPanelColumns * (kPanelColumns * kBlockDepth) +
                           inBlock % kPanelColumns);
        }
        for (int64_t row = firstRow; row < rowEnd; row += kPanelRows) {
            for (int64_t column = firstColumn; column < columnEnd; column += kPanelColumns) {
                const int64_t panel = (column - firstColumn) / kPanelColumns;
                const PanelProduct product{
                    .rows = work.x + row * work.xRow + begin,
                    .rowStep = work.xRow,
                    .panel = panels + panel * (kPanelColumns * kBlockDepth),
                    .depth = end - begin,
                    .start = begin == 0 ? biases + panel * kPanelColumns : nullptr,
                    .result = work.result + row * work.out + column,
                    .resultStep = work.out,
                    .columns = smaller(kPanelColumns, columnEnd - column)};
                multiplySomePanelRows(product,
                                      smaller(kPanelRows, rowEnd - row),
                                      std::make_integer_sequence<int, kPanelRows>{});
            }
        }
    }
}

inline void multiplyParts(
    const Linear& work, const LinearCut& cut, int64_t begin, int64_t end, float* ofThread) {
    for (int64_t part = begin; part < end; ++part) {
        multiplyPart(work, cut, part, ofThread);
    }
}

constexpr LinearPieces kLinearPieces = {
    .leastColumns = kBlockPanels * kPanelColumns,
    .mostColumns = kBlockPanels * kPanelColumns,
    .mostRows = std::numeric_limits<int64_t>::max() / 2,
    .rowsOfPanel = kPanelRows,
    .numbersOfThread = kBlockPanels * kPanelColumns * (kBlockDepth + 1),
    .multiply = multiplyParts};

}  // namespace
}  // namespace lowtide::tensor::simd
