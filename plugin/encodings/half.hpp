#pragma once

#include "plugin/encodings/anywhere.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

namespace lowtide::encodings {

/// The number whose bits are those of an IEEE half; exact.
LOWTIDE_ANYWHERE float halfFromBits(uint16_t bits) noexcept {
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

/// The bits of the half nearest to a number, ties to even; infinity from 65520 on.
[[gnu::always_inline]] inline uint16_t halfBits(float value) noexcept {
    constexpr uint32_t kSmallestNormal = 113U << 23;  // 2^-14
    constexpr uint32_t kTooLarge = 143U << 23;        // 65536
    constexpr uint32_t kInfinity = 255U << 23;
    constexpr uint32_t kSubnormal = 126U << 23;  // its last bit is that of a subnormal half
    constexpr uint32_t kRebias = (112U << 23) - 0xFFFU;
    const auto bits = std::bit_cast<uint32_t>(value);
    const uint32_t magnitude = bits & 0x7FFFFFFFU;
    const uint32_t isOdd = magnitude >> 13 & 1U;
    const uint32_t normal = (magnitude - kRebias + isOdd) >> 13;
    const float raised = std::bit_cast<float>(magnitude) + std::bit_cast<float>(kSubnormal);
    const uint32_t subnormal = std::bit_cast<uint32_t>(raised) - kSubnormal;
    const uint32_t finite = magnitude < kSmallestNormal ? subnormal : normal;
    const uint32_t other = magnitude > kInfinity ? 0x7E00U : 0x7C00U;
    return static_cast<uint16_t>((magnitude < kTooLarge ? finite : other) | (bits >> 16 & 0x8000U));
}

/// The half that lies at `bytes`, little-endian.
LOWTIDE_ANYWHERE float halfAt(const std::byte* bytes) noexcept {
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
