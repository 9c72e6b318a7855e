#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace lowtide::encodings {

/// The number whose bits are those of an IEEE half; exact.
[[gnu::always_inline]] inline float halfFromBits(uint16_t bits) noexcept {
    constexpr uint32_t kExponent = 0x7C00;
    constexpr uint32_t kMagnitude = 0x7FFF;
    constexpr uint32_t kRebias = 112U << 23;
    const uint32_t sign = uint32_t(bits & 0x8000U) << 16;
    const uint32_t raised = uint32_t(bits & kMagnitude) << 13;
    const bool isSubnormal = (bits & kExponent) == 0;
    const bool isFinite = (bits & kExponent) != kExponent;
    const float tiny = static_cast<float>(bits & kMagnitude) * 0x1p-24F;
    const uint32_t magnitude =
        isSubnormal ? std::bit_cast<uint32_t>(tiny) : raised + (isFinite ? kRebias : 2 * kRebias);
    return std::bit_cast<float>(sign | magnitude);
}

/// The half that lies at `bytes`, little-endian.
[[gnu::always_inline]] inline float halfAt(const std::byte* bytes) noexcept {
    uint16_t bits = 0;
    std::memcpy(&bits, bytes, sizeof(bits));
    return halfFromBits(bits);
}

/// Whether the half at `bytes` is a finite number.
[[gnu::always_inline]] inline bool isHalfFinite(const std::byte* bytes) noexcept {
    uint16_t bits = 0;
    std::memcpy(&bits, bytes, sizeof(bits));
    return (bits & 0x7C00U) != 0x7C00U;
}

}  // namespace lowtide::encodings
