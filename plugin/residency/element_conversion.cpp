#include "plugin/residency/element_conversion.hpp"

#include "plugin/base/error.hpp"
#include "plugin/encodings/small_floats.hpp"

#include <c10/util/BFloat16.h>
#include <c10/util/Float8_e4m3fn.h>
#include <c10/util/Float8_e5m2.h>
#include <c10/util/Half.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <immintrin.h>
#include <string>
#include <type_traits>

namespace lowtide::residency {

/// Converts `source` to f32 with the processor's wide instructions and writes past its caches: a
/// weight is read long after it was written, by other cores too. Bits as ATen's. Returns how many
/// elements from the front were converted; the rest is left to the caller (all of it where the
/// processor has no AVX2 or `target` is not aligned to 32 bytes). Other threads see what was
/// written once they are synchronised by the usual means.
[[nodiscard]] int64_t widenPastCaches(float* target,
                                      const c10::Half* source,
                                      int64_t count) noexcept;
[[nodiscard]] int64_t widenPastCaches(float* target,
                                      const c10::BFloat16* source,
                                      int64_t count) noexcept;

}  // namespace lowtide::residency

#define LOWTIDE_WIDE __attribute__((target("avx2,f16c")))

namespace lowtide::residency {

namespace {

constexpr int64_t kVectorWidth = 8;
constexpr uintptr_t kVectorAlignment = kVectorWidth * sizeof(float);

bool canWiden(const float* target) noexcept {
    static const bool kHasInstructions =
        __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("f16c") != 0;
    return kHasInstructions && reinterpret_cast<uintptr_t>(target) % kVectorAlignment == 0;
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
    const int64_t whole = count / kVectorWidth * kVectorWidth;
    for (int64_t i = 0; i < whole; i += kVectorWidth) {
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

namespace {

/// Every type goes through float, as in ATen's copy kernels: also F64 -> F16, which rounds twice
/// there.
template <typename To, typename From>
To convertOne(From value) {
    return static_cast<To>(static_cast<float>(value));
}

template <typename To, typename From>
void convertEach(To* __restrict__ to, const From* __restrict__ from, int64_t count) {
    int64_t done = 0;
    if constexpr (std::is_same_v<To, float> && sizeof(From) == 2) {
        done = widenPastCaches(to, from, count);
    }
    for (int64_t i = done; i < count; ++i) {
        to[i] = convertOne<To>(from[i]);
    }
}

/// For types of one byte, whose arithmetic does not vectorise: a table of all 256 values.
template <typename To, typename From>
void convertByTable(To* __restrict__ to, const uint8_t* __restrict__ from, int64_t count) {
    std::array<To, 256> table;
    for (unsigned bits = 0; bits < table.size(); ++bits) {
        table[bits] = convertOne<To>(From(static_cast<uint8_t>(bits), From::from_bits()));
    }
    for (int64_t i = 0; i < count; ++i) {
        to[i] = table[from[i]];
    }
}

template <typename To, typename From>
void convertLoop(std::byte* target, const std::byte* source, int64_t count) {
    auto* to = reinterpret_cast<To*>(target);
    if constexpr (sizeof(From) == 1) {
        convertByTable<To, From>(to, reinterpret_cast<const uint8_t*>(source), count);
    } else {
        convertEach(to, reinterpret_cast<const From*>(source), count);
    }
}

using Loop = void (*)(std::byte*, const std::byte*, int64_t);

template <typename To>
Loop loopTo(DType from) noexcept {
    switch (from) {
        case DType::F64:
            return convertLoop<To, double>;
        case DType::F32:
            return convertLoop<To, float>;
        case DType::F16:
            return convertLoop<To, c10::Half>;
        case DType::BF16:
            return convertLoop<To, c10::BFloat16>;
        case DType::F8E4M3:
            return convertLoop<To, c10::Float8_e4m3fn>;
        case DType::F8E5M2:
            return convertLoop<To, c10::Float8_e5m2>;
        default:
            return nullptr;
    }
}

Loop loopOf(DType from, DType to) noexcept {
    switch (to) {
        case DType::F32:
            return loopTo<float>(from);
        case DType::F16:
            return loopTo<c10::Half>(from);
        case DType::BF16:
            return loopTo<c10::BFloat16>(from);
        default:
            return nullptr;
    }
}

/// Whether no element has all bits of `mask` set: without branches, vectorised.
template <typename Bits>
bool lackAll(const std::byte* values, int64_t count, Bits mask) noexcept {
    Bits found = 0;
    for (int64_t i = 0; i < count; ++i) {
        Bits bits;
        std::memcpy(&bits, values + i * static_cast<int64_t>(sizeof(Bits)), sizeof(Bits));
        found = static_cast<Bits>(found | ((bits & mask) == mask));
    }
    return found == 0;
}

}  // namespace

bool canConvert(DType from, DType to) noexcept {
    return from == to || loopOf(from, to) != nullptr;
}

void convertElements(
    std::byte* target, DType to, const std::byte* source, DType from, int64_t count) {
    if (from == to) {
        std::memcpy(target, source, static_cast<size_t>(count * sizeOf(from)));
        return;
    }
    const Loop loop = loopOf(from, to);
    if (!loop) {
        throw Error(ErrorKind::Unsupported,
                    message("weights of type {} cannot be used as {}", nameOf(from), nameOf(to)),
                    message("use a checkpoint whose weights are F32, F16, BF16 or F8"));
    }
    loop(target, source, count);
}

bool areFinite(DType type, const std::byte* values, int64_t count) noexcept {
    switch (type) {
        case DType::F64:
            return lackAll<uint64_t>(values, count, 0x7FF0000000000000U);
        case DType::F32:
            return lackAll<uint32_t>(values, count, 0x7F800000U);
        case DType::F16:
            return lackAll<uint16_t>(values, count, 0x7C00U);
        case DType::BF16:
            return lackAll<uint16_t>(values, count, 0x7F80U);
        case DType::F8E4M3:
            return lackAll<uint8_t>(values, count, 0x7FU);  // it has no infinity
        case DType::F8E5M2:
            return lackAll<uint8_t>(values, count, 0x7CU);
        default:
            return true;
    }
}

float largestMagnitude(const float* values, int64_t count) noexcept {
    constexpr int64_t kVectorWidth =
        16;  // one after the other each comparison would wait for the last
    std::array<float, kVectorWidth> largest{};
    const auto look = [&largest](size_t element, float value) {
        const float magnitude = std::fabs(value);
        largest[element] = magnitude > largest[element] ? magnitude : largest[element];
    };
    const int64_t whole = count / kVectorWidth * kVectorWidth;
    for (int64_t i = 0; i < whole; i += kVectorWidth) {
        for (size_t element = 0; element < kVectorWidth; ++element) {
            look(element, values[i + static_cast<int64_t>(element)]);
        }
    }
    for (int64_t i = whole; i < count; ++i) {
        look(0, values[i]);
    }
    return *std::max_element(largest.begin(), largest.end());
}

float scaleFor(float largest) noexcept {
    constexpr float kMostE4M3 = 448;
    constexpr int kSmallestExponent = -100;  // its inverse is finite, and so is a product with it
    if (!(largest > 0) || !std::isfinite(largest)) {
        return 1;
    }
    int exponent = 0;
    const float fraction = std::frexp(largest / kMostE4M3, &exponent);  // in 0.5..1
    return std::ldexp(1.0F, std::max(kSmallestExponent, fraction > 0.5F ? exponent : exponent - 1));
}

void scaleToF8(std::byte* target, const float* values, float scale, int64_t count) noexcept {
    const float inverse = 1 / scale;
    auto* __restrict__ to = reinterpret_cast<uint8_t*>(target);
    const float* __restrict__ from = values;
    for (int64_t i = 0; i < count; ++i) {
        to[i] = encodings::E4M3::bits(from[i] * inverse);
    }
}

}  // namespace lowtide::residency
