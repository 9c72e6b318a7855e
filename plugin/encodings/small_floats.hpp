#pragma once

#include "plugin/encodings/half.hpp"
#include "plugin/encodings/wide.hpp"

#include <bit>
#include <cstdint>

namespace lowtide::encodings {

/// The numbers whose bits are those of the types of OCP's 8-bit and 4-bit floating point (OFP8
/// rev. 1.0, MX rev. 1.0); exact, without branches.
struct E4M3 {
    LOWTIDE_INLINE static float number(uint8_t bits) noexcept {
        constexpr uint32_t kRebias = 120U << 23;
        constexpr uint32_t kNan = 0x7FC00000;
        const uint32_t magnitude = bits & 0x7FU;
        const auto tiny = std::bit_cast<uint32_t>(static_cast<float>(magnitude) * 0x1p-9F);
        const uint32_t normal = (magnitude << 20) + kRebias;
        const uint32_t finite = magnitude < 8 ? tiny : normal;
        return std::bit_cast<float>(uint32_t(bits & 0x80U) << 24 |
                                    (magnitude == 0x7F ? kNan : finite));
    }

    [[nodiscard]] static bool isFinite(uint8_t bits) noexcept { return (bits & 0x7FU) != 0x7F; }
};

struct E5M2 {
    LOWTIDE_INLINE static float number(uint8_t bits) noexcept {
        return halfFromBits(static_cast<uint16_t>(bits << 8));
    }
};

struct E2M1 {
    /// Of the low four bits.
    LOWTIDE_INLINE static float number(uint8_t bits) noexcept {
        constexpr uint32_t kRebias = 126U << 23;
        constexpr uint32_t kHalf = 126U << 23;
        const uint32_t magnitude = bits & 7U;
        const uint32_t small = magnitude == 0 ? 0 : kHalf;
        const uint32_t normal = (magnitude << 22) + kRebias;
        return std::bit_cast<float>(uint32_t(bits & 8U) << 28 | (magnitude < 2 ? small : normal));
    }
};

/// Eight-bit whole numbers, two's complement.
struct Int8 {
    LOWTIDE_INLINE static float number(uint8_t bits) noexcept {
        return static_cast<float>(static_cast<int8_t>(bits));
    }
};

}  // namespace lowtide::encodings
