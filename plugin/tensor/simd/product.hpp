#pragma once
// Matrix products whose result remains in registers. Each number of a result is one chain of fused
// multiply-adds in the order of the depth, however the matrices are cut: cutting changes no bit.

#include "plugin/tensor/simd/vectors.hpp"

#include <cstddef>

namespace lowtide::tensor::simd {
namespace {

/// c[i][j] = (adds ? c[i][j] : 0) + sum over k of a[i aRow + k aStep] b[k bStep + j].
struct Product {
    const float* a;
    ptrdiff_t aRow;
    ptrdiff_t aStep;
    const float* b;
    ptrdiff_t bStep;
    int64_t depth;
    float* c;
    ptrdiff_t cRow;
    bool adds;
};

/// Columns of a result that is kept in registers: two vectors, with so many rows that in addition
/// a row of b and one number of a fit.
constexpr int kColumns = 2 * kVectorWidth;
constexpr int kMostRows = kVectorWidth == 16 ? 14 : 6;

template <int Rows>
void multiplyRows(const Product& product) {
    Vector sums[Rows][2];
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
        const float* c = product.c + i * product.cRow;
        sums[i][0] = product.adds ? load(c) : Vector{};
        sums[i][1] = product.adds ? load(c + kVectorWidth) : Vector{};
    }
    const float* b = product.b;
    const float* a = product.a;
    const ptrdiff_t aRow = product.aRow;
    for (int64_t k = 0; k < product.depth; ++k, b += product.bStep, a += product.aStep) {
        const Vector left = load(b);
        const Vector right = load(b + kVectorWidth);
#pragma GCC unroll 16
        for (int i = 0; i < Rows; ++i) {
            const Vector factor = all(a[i * aRow]);
            sums[i][0] += factor * left;
            sums[i][1] += factor * right;
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
        float* c = product.c + i * product.cRow;
        store(c, sums[i][0]);
        store(c + kVectorWidth, sums[i][1]);
    }
}

template <int... Rows>
void multiplySome(const Product& product, int64_t rows, std::integer_sequence<int, Rows...>) {
    using Kernel = void (*)(const Product&);
    static constexpr Kernel kKernels[] = {multiplyRows<Rows + 1>...};
    kKernels[rows - 1](product);
}

/// Any number of rows, kColumns columns.
inline void multiply(Product product, int64_t rows) {
    // Rows in equal parts: 32 as 11 + 11 + 10 keeps more sums at work than 14 + 14 + 4.
    int64_t parts = (rows + kMostRows - 1) / kMostRows;
    for (; parts > 0; --parts) {
        const int64_t some = (rows + parts - 1) / parts;
        multiplySome(product, some, std::make_integer_sequence<int, kMostRows>{});
        product.a += some * product.aRow;
        product.c += some * product.cRow;
        rows -= some;
    }
}

}  // namespace
}  // namespace lowtide::tensor::simd
