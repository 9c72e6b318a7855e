#pragma once
// Floating-point numbers of sixteen, eight and four bits.

#include "plugin/encodings/anywhere.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
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

/// The numbers whose bits are those of the types of OCP's 8-bit and 4-bit floating point (OFP8
/// rev. 1.0, MX rev. 1.0); exact, without branches.
struct E4M3 {
    LOWTIDE_ANYWHERE static float number(uint8_t bits) noexcept {
        constexpr uint32_t kRebias = 120U << 23;
        constexpr uint32_t kNan = 0x7FC00000;
        const uint32_t magnitude = bits & 0x7FU;
        const auto tiny = std::bit_cast<uint32_t>(static_cast<float>(magnitude) * 0x1p-9F);
        const uint32_t normal = (magnitude << 20) + kRebias;
        const uint32_t finite = magnitude < 8 ? tiny : normal;
        return std::bit_cast<float>(uint32_t(bits & 0x80U) << 24 |
                                    (magnitude == 0x7F ? kNan : finite));
    }

    /// Rounded to nearest even; NaN from 480 on.
    LOWTIDE_INLINE static uint8_t bits(float value) noexcept {
        constexpr uint32_t kTooLarge = 1087U << 20;       // 480
        constexpr uint32_t kSmallestNormal = 121U << 23;  // 2^-6
        constexpr uint32_t kSubnormal = 141U << 23;  // its last bit is that of a subnormal e4m3
        constexpr uint32_t kRebias = (120U << 23) - 0x7FFFFU;
        const auto all = std::bit_cast<uint32_t>(value);
        const uint32_t magnitude = all & 0x7FFFFFFFU;
        const uint32_t isOdd = magnitude >> 20 & 1U;
        const uint32_t normal = (magnitude - kRebias + isOdd) >> 20;
        const float raised = std::bit_cast<float>(magnitude) + std::bit_cast<float>(kSubnormal);
        const uint32_t subnormal = std::bit_cast<uint32_t>(raised) - kSubnormal;
        const uint32_t rounded = magnitude < kSmallestNormal ? subnormal : normal;
        return static_cast<uint8_t>((magnitude < kTooLarge ? rounded : 0x7FU) |
                                    (all >> 24 & 0x80U));
    }

    /// Of a number in units of its scale, which holds it but for rounding.
    LOWTIDE_INLINE static uint8_t scaled(float value, float scale) noexcept {
        return bits(std::clamp(value * (1 / scale), -kLargest, kLargest));
    }

    static constexpr float kLargest = 448;

    [[nodiscard]] static bool isFinite(uint8_t bits) noexcept { return (bits & 0x7FU) != 0x7F; }
};

struct E5M2 {
    LOWTIDE_ANYWHERE static float number(uint8_t bits) noexcept {
        return halfFromBits(static_cast<uint16_t>(bits << 8));
    }
};

struct E2M1 {
    /// Of the low four bits.
    LOWTIDE_ANYWHERE static float number(uint8_t bits) noexcept {
        constexpr uint32_t kRebias = 126U << 23;
        constexpr uint32_t kHalf = 126U << 23;
        const uint32_t magnitude = bits & 7U;
        const uint32_t small = magnitude == 0 ? 0 : kHalf;
        const uint32_t normal = (magnitude << 22) + kRebias;
        return std::bit_cast<float>(uint32_t(bits & 8U) << 28 | (magnitude < 2 ? small : normal));
    }
};

/// A power of two, the scale of a block.
struct E8M0 {
    static constexpr uint8_t kNan = 0xFF;

    /// An exponent of 0 stands for a block of zeros.
    LOWTIDE_ANYWHERE static float number(uint8_t exponent) noexcept {
        return std::bit_cast<float>(uint32_t(exponent) << 23);
    }
};

/// Eight-bit whole numbers, two's complement.
struct Int8 {
    LOWTIDE_ANYWHERE static float number(uint8_t bits) noexcept {
        return static_cast<float>(static_cast<int8_t>(bits));
    }

    /// Of a number in units of its scale, rounded to nearest even.
    LOWTIDE_INLINE static uint8_t scaled(float value, float scale) noexcept {
        return static_cast<uint8_t>(static_cast<int8_t>(
            std::clamp(std::nearbyint(value / scale), -kLargest - 1, kLargest)));
    }

    static constexpr float kLargest = 127;
};

}  // namespace lowtide::encodings
