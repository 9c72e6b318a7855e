#pragma once

#include "plugin/encodings/wide.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace lowtide::encodings {

/// What four bits stand for, as two vectors: with wide instructions a look-up of eight is three
/// operations.
class SixteenFloats {
public:
    LOWTIDE_INLINE explicit SixteenFloats(const std::array<float, 16>& numbers) noexcept {
        std::memcpy(&lower_, numbers.data(), sizeof(lower_));
        std::memcpy(&upper_, numbers.data() + kEight, sizeof(upper_));
    }

    /// target[i] = scale * the number of codes[i], which are below 16. kCount: a multiple of 8.
    template <int kCount>
    LOWTIDE_INLINE void decode(const uint8_t* codes, float scale, float* target) const noexcept {
        for (int i = 0; i < kCount; i += kEight) {
            Bytes8 bytes;
            std::memcpy(&bytes, codes + i, sizeof(bytes));
            const auto places = __builtin_convertvector(bytes, Ints8);
            Floats8 numbers;
            lookUp(places, numbers);
            numbers *= scale;
            std::memcpy(target + i, &numbers, sizeof(numbers));
        }
    }

private:
    static constexpr int kEight = 8;

    typedef uint8_t Bytes8 __attribute__((vector_size(8)));
    typedef int32_t Ints8 __attribute__((vector_size(32)));
    typedef float Floats8 __attribute__((vector_size(32)));

    LOWTIDE_INLINE void lookUp(const Ints8& places, Floats8& numbers) const noexcept {
#ifdef __clang__  // shuffles by constants alone
        for (int i = 0; i < kEight; ++i) {
            numbers[i] = places[i] < kEight ? lower_[places[i]] : upper_[places[i] - kEight];
        }
#else
        numbers = __builtin_shuffle(lower_, upper_, places);
#endif
    }

    Floats8 lower_;
    Floats8 upper_;
};

/// Of each byte the upper four bits, then the lower ones: codes [2 count].
template <int kCount>
LOWTIDE_INLINE void takeHalves(uint8_t* __restrict__ codes,
                               const uint8_t* __restrict__ bytes) noexcept {
    static_assert(kCount % 4 == 0);
    constexpr uint64_t kSpread = 0x0001000100010001;
    for (int i = 0; i < kCount; i += 4) {
        uint32_t four = 0;
        std::memcpy(&four, bytes + i, sizeof(four));
        // A byte in each 16 bits, then its halves apart.
        uint64_t apart = (four | uint64_t(four) << 16) & 0x0000FFFF0000FFFF;
        apart = (apart | apart << 8) & 0xFF * kSpread;
        const uint64_t eight = (apart >> 4 & 0x0F * kSpread) | (apart & 0x0F * kSpread) << 8;
        std::memcpy(codes + 2 * i, &eight, sizeof(eight));
    }
}

}  // namespace lowtide::encodings
