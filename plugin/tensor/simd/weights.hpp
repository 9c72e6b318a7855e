#pragma once
// Weights as a file has them, widened to f32 as they are loaded: exactly. Internal linkage, as
// vectors.hpp.

#include "plugin/tensor/simd/pieces.hpp"
#include "plugin/tensor/simd/vectors.hpp"

#include <immintrin.h>

namespace lowtide::tensor::simd {
namespace {

/// As many numbers as a vector has.
inline Vector widened(const uint16_t* from, WeightType type) {
    if (type == WeightType::F16) {
#if defined(__AVX512F__)
        constexpr __mmask16 kAll = 0xffff;  // without a mask GCC 12 warns about its own header
        return Vector(_mm512_maskz_cvtph_ps(
            kAll, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
#else
        return Vector(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
#endif
    }
    using Halves = uint16_t __attribute__((vector_size(kVectorWidth * sizeof(uint16_t))));
    constexpr int kShift = 16;
    Halves halves;
    std::memcpy(&halves, from, sizeof(halves));
    return Vector(__builtin_convertvector(halves, Integers) << kShift);
}

/// The first `count` numbers from the one at `index`, zeros behind them.
inline Vector loadWeights(const Weights& weights, int64_t index, int64_t count) {
    if (weights.type == WeightType::F32) {
        return loadSome(static_cast<const float*>(weights.data) + index, count);
    }
    const uint16_t* from = static_cast<const uint16_t*>(weights.data) + index;
    if (count >= kVectorWidth) {
        return widened(from, weights.type);
    }
    uint16_t numbers[kVectorWidth] = {};
    std::memcpy(numbers, from, static_cast<size_t>(count) * sizeof(uint16_t));
    return widened(numbers, weights.type);
}

}  // namespace
}  // namespace lowtide::tensor::simd
