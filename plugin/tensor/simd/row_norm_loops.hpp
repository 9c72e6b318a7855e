#pragma once
// The pieces of RowNorm with the vectors of the including file.

#include "plugin/tensor/simd/pieces.hpp"
#include "plugin/tensor/simd/vectors.hpp"

namespace lowtide::tensor::simd {
namespace {

/// Sums of a row that are independent of each other, as many whatever the vectors' width.
constexpr int64_t kRowSums = 64;

inline double sumOfSquares(const float* values, int64_t width) {
    constexpr int kVectors = kRowSums / kVectorWidth;
    Vector sums[kVectors] = {};
    for (int64_t first = 0; first < width; first += kRowSums) {
#pragma GCC unroll 8
        for (int i = 0; i < kVectors; ++i) {
            const int64_t some = width - first - i * kVectorWidth;
            const Vector value =
                some > 0 ? loadSome(values + first + i * kVectorWidth, some) : Vector{};
            sums[i] += value * value;
        }
    }
    float each[kRowSums];
    std::memcpy(each, sums, sizeof(each));
    double sum = 0;
    for (const float one : each) {
        sum += one;
    }
    return sum;
}

inline void normRows(const RowNorm& work, int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
        const float* values = work.values + row * work.width;
        float* result = work.result + row * work.width;
        const double mean =
            sumOfSquares(values, work.width) / static_cast<double>(work.width) + work.epsilon;
        const Vector scale = all(static_cast<float>(1 / __builtin_sqrt(mean)));
        for (int64_t i = 0; i < work.width; i += kVectorWidth) {
            const int64_t some = work.width - i;
            const Vector value = loadSome(values + i, some) * scale;
            storeSome(
                result + i, work.weight ? value * loadSome(work.weight + i, some) : value, some);
        }
    }
}

}  // namespace
}  // namespace lowtide::tensor::simd
