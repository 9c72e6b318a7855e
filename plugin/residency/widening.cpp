#include "plugin/residency/widening.hpp"

#include <immintrin.h>

#define LOWTIDE_WIDE __attribute__((target("avx2,f16c")))

namespace lowtide::residency {

namespace {

constexpr int64_t kLanes = 8;
constexpr uintptr_t kLaneAlignment = kLanes * sizeof(float);

bool canWiden(const float* target) noexcept {
    static const bool kHasInstructions =
        __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("f16c") != 0;
    return kHasInstructions && reinterpret_cast<uintptr_t>(target) % kLaneAlignment == 0;
}

LOWTIDE_WIDE __m256 widen(const c10::Half* source) noexcept {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(source)));
}

LOWTIDE_WIDE __m256 widen(const c10::BFloat16* source) noexcept {
    constexpr int kDroppedBits = 16;
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), kDroppedBits));
}

template <typename From>
LOWTIDE_WIDE int64_t widenAll(float* target, const From* source, int64_t count) noexcept {
    const int64_t whole = count / kLanes * kLanes;
    for (int64_t i = 0; i < whole; i += kLanes) {
        _mm256_stream_ps(target + i, widen(source + i));
    }
    _mm_sfence();  // such stores pass by the order that locks give
    return whole;
}

}  // namespace

int64_t widenPastCaches(float* target, const c10::Half* source, int64_t count) noexcept {
    return canWiden(target) ? widenAll(target, source, count) : 0;
}

int64_t widenPastCaches(float* target, const c10::BFloat16* source, int64_t count) noexcept {
    return canWiden(target) ? widenAll(target, source, count) : 0;
}

}  // namespace lowtide::residency
