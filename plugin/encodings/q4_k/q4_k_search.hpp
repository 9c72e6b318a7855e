#pragma once
// Which scales and minima Q4_K gets: those with the least squared error that a search finds.

#include "plugin/encodings/ggml_blocks.hpp"

namespace lowtide::encodings {

/// 32 numbers as scale * (0 to 15) - least; both are at least 0.
struct Q4KRun {
    static constexpr int kElements = 32;
    static constexpr int kLargest = 15;

    float scale = 0;
    float least = 0;

    /// numbers[i] in units of the scale, above the minimum.
    LOWTIDE_INLINE void place(const float* __restrict__ numbers,
                              int32_t* __restrict__ places) const noexcept {
        const float inverse = scale > 0 ? 1 / scale : 0;
        const float added = least * inverse + 0.5F;
        LOWTIDE_ROLLED
        for (int i = 0; i < kElements; ++i) {
            const float place = std::min(numbers[i] * inverse + added, kLargest + 0.5F);
            places[i] = static_cast<int32_t>(std::max(place, 0.0F));
        }
    }
};

/// The sums over a run that its squared error is made of. Eight lanes each, added in their order:
/// the same bits whatever the instructions.
struct Q4KSums {
    float numbers = 0;   ///< sum of x
    float squares = 0;   ///< of x * x
    float products = 0;  ///< of x * place
    int32_t places = 0;
    int32_t placeSquares = 0;

    LOWTIDE_INLINE static float sumOf(const float* lanes) noexcept {
        return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
               ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
    }

    LOWTIDE_INLINE void takeNumbers(const float* __restrict__ x) noexcept {
        float sums[8] = {};
        float squareSums[8] = {};
        for (int i = 0; i < Q4KRun::kElements; i += 8) {
            LOWTIDE_ROLLED
            for (int lane = 0; lane < 8; ++lane) {
                sums[lane] += x[i + lane];
                squareSums[lane] += x[i + lane] * x[i + lane];
            }
        }
        numbers = sumOf(sums);
        squares = sumOf(squareSums);
    }

    LOWTIDE_INLINE void takePlaces(const float* __restrict__ x,
                                   const int32_t* __restrict__ at) noexcept {
        float sums[8] = {};
        places = 0;
        placeSquares = 0;
        for (int i = 0; i < Q4KRun::kElements; i += 8) {
            LOWTIDE_ROLLED
            for (int lane = 0; lane < 8; ++lane) {
                sums[lane] += x[i + lane] * static_cast<float>(at[i + lane]);
            }
        }
        LOWTIDE_ROLLED
        for (int i = 0; i < Q4KRun::kElements; ++i) {
            places += at[i];
            placeSquares += at[i] * at[i];
        }
        products = sumOf(sums);
    }

    /// The squared error with these places.
    [[nodiscard]] LOWTIDE_INLINE double error(const Q4KRun& run) const noexcept {
        const double scale = run.scale;
        const double least = run.least;
        return squares + scale * scale * placeSquares + Q4KRun::kElements * least * least +
               2 * (least * numbers - scale * products - scale * least * places);
    }

    /// The scale and minimum with the least squared error for these places; the minimum at most 0.
    [[nodiscard]] LOWTIDE_INLINE Q4KRun best() const noexcept {
        const double count = Q4KRun::kElements;
        const double spread = count * placeSquares - double(places) * places;
        if (spread <= 0) {
            return {0, std::max(-numbers / static_cast<float>(count), 0.0F)};
        }
        const double scale = (count * products - double(numbers) * places) / spread;
        const double least = (double(products) * places - double(numbers) * placeSquares) / spread;
        if (least < 0 || scale < 0) {
            return {std::max(products / static_cast<float>(placeSquares), 0.0F), 0};
        }
        return {static_cast<float>(scale), static_cast<float>(least)};
    }
};

/// Tries places for a range from a little narrower to a little wider than that of the numbers, and
/// fits scale and minimum to each by least squares.
LOWTIDE_INLINE Q4KRun searchQ4K(const float* numbers) noexcept {
    constexpr int kTries = 16;
    constexpr float kNarrowest = 13.4F;  // the range in units of the scale
    constexpr float kStep = 0.2F;
    const auto [low, high] = std::minmax_element(numbers, numbers + Q4KRun::kElements);
    const float least = std::max(-*low, 0.0F);
    const float range = *high + least;
    Q4KSums sums;
    sums.takeNumbers(numbers);
    int32_t places[Q4KRun::kElements] = {};
    sums.takePlaces(numbers, places);
    Q4KRun best = sums.best();
    double bestError = sums.error(best);
    for (int i = 0; i < kTries && range > 0; ++i) {
        Q4KRun tried{range / (kNarrowest + kStep * static_cast<float>(i)), least};
        tried.place(numbers, places);
        sums.takePlaces(numbers, places);
        tried = sums.best();
        const double error = sums.error(tried);
        if (error < bestError) {
            best = tried;
            bestError = error;
        }
    }
    return best;
}

}  // namespace lowtide::encodings
