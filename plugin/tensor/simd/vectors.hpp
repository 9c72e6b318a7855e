#pragma once
// Vectors of f32 as wide as the instruction set that a file is compiled for. Only the files of one
// instruction set include this: everything here has internal linkage, so that no code for a newer
// processor is merged with that of another file.

#include <cstdint>
#include <cstring>
#include <utility>

namespace lowtide::tensor::simd {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorWidth = 16;
#else
constexpr int kVectorWidth = 8;
#endif

using Vector = float __attribute__((vector_size(kVectorWidth * sizeof(float))));
using Integers = int32_t __attribute__((vector_size(kVectorWidth * sizeof(int32_t))));

inline int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

inline Vector load(const float* from) {
    Vector value;
    std::memcpy(&value, from, sizeof(value));
    return value;
}

inline void store(float* to, Vector value) {
    std::memcpy(to, &value, sizeof(value));
}

/// The first `count` numbers, zeros behind them.
inline Vector loadSome(const float* from, int64_t count) {
    if (count >= kVectorWidth) {
        return load(from);
    }
    float numbers[kVectorWidth] = {};
    std::memcpy(numbers, from, static_cast<size_t>(count) * sizeof(float));
    return load(numbers);
}

inline void storeSome(float* to, Vector value, int64_t count) {
    if (count >= kVectorWidth) {
        store(to, value);
        return;
    }
    float numbers[kVectorWidth];
    store(numbers, value);
    std::memcpy(to, numbers, static_cast<size_t>(count) * sizeof(float));
}

inline Vector all(float value) {
    return value - Vector{};
}

template <int Step, int... Index>
Vector lowerHalves(Vector a, Vector b, std::integer_sequence<int, Index...>) {
    return __builtin_shufflevector(
        a, b, ((Index & Step) != 0 ? kVectorWidth + Index - Step : Index)...);
}

template <int Step, int... Index>
Vector upperHalves(Vector a, Vector b, std::integer_sequence<int, Index...>) {
    return __builtin_shufflevector(
        a, b, ((Index & Step) != 0 ? kVectorWidth + Index : Index + Step)...);
}

/// Swaps blocks of `Step` rows and lanes; all powers of two in turn transpose the square.
template <int Step>
inline void swapBlocks(Vector (&rows)[kVectorWidth]) {
    constexpr auto kAll = std::make_integer_sequence<int, kVectorWidth>{};
#pragma GCC unroll 16
    for (int i = 0; i < kVectorWidth; ++i) {
        if ((i & Step) == 0) {
            const Vector a = rows[i];
            const Vector b = rows[i + Step];
            rows[i] = lowerHalves<Step>(a, b, kAll);
            rows[i + Step] = upperHalves<Step>(a, b, kAll);
        }
    }
}

inline void transpose(Vector (&rows)[kVectorWidth]) {
    swapBlocks<1>(rows);
    swapBlocks<2>(rows);
    swapBlocks<4>(rows);
    if constexpr (kVectorWidth == 16) {
        swapBlocks<8>(rows);
    }
}

constexpr double kLog2OfE = 1.4426950408889634;

/// 2^x for x up to 127, within 2 units in the last place; below -126 as there. NaN remains NaN.
inline Vector exp2(Vector x) {
    constexpr float kRounding = 12582912.0F;  // 1.5 * 2^23: what is added loses its fraction
    constexpr float kLeast = -126.0F;
    constexpr int kMantissaBits = 23;
    x = all(kLeast) > x ? all(kLeast) : x;  // in this order NaN remains NaN
    const Vector shifted = x + kRounding;
    const Vector fraction = x - (shifted - kRounding);  // -0.5 .. 0.5
    // The polynomial with the smallest relative error there, 7.5e-8 (Remez's algorithm).
    Vector sum = all(1.3276472e-3F);
    sum = sum * fraction + 9.67554133e-3F;
    sum = sum * fraction + 5.55071327e-2F;
    sum = sum * fraction + 2.40221197e-1F;
    sum = sum * fraction + 6.93146967e-1F;
    sum = sum * fraction + 1.00000007F;
    Integers bits;
    std::memcpy(&bits, &shifted, sizeof(bits));
    Integers power;
    std::memcpy(&power, &sum, sizeof(power));
    power += bits << kMantissaBits;  // the rounded x, into the exponent
    Vector result;
    std::memcpy(&result, &power, sizeof(result));
    return x == x ? result : x;
}

}  // namespace
}  // namespace lowtide::tensor::simd
