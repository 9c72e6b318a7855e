#include "plugin/encodings/int8_convrot/rotate_four.hpp"
#include "plugin/encodings/scales.hpp"
#include "plugin/encodings/wide.hpp"

#include <bit>
#include <cmath>

namespace lowtide::encodings {

namespace {

/// Rotates groups of `size` whole numbers, a power of four, by the regular Hadamard matrix, not yet
/// divided by sqrt(size).
struct RotateLoop {
    LOWTIDE_INLINE static void run(
        const int8_t* values, int64_t size, float scale, int32_t* sums, float* target) noexcept {
        for (int64_t i = 0; i < size; ++i) {
            sums[i] = values[i];
        }
        for (int64_t step = 1; step < size; step *= 4) {
            step == 1 ? rotateNeighbours(sums, size) : rotateApart(sums, size, step);
        }
        for (int64_t i = 0; i < size; ++i) {
            target[i] = static_cast<float>(sums[i]) * scale;
        }
    }

    LOWTIDE_INLINE static void rotateNeighbours(int32_t* sums, int64_t size) noexcept {
        for (int64_t i = 0; i < size; i += 4) {
            rotateFour(sums[i], sums[i + 1], sums[i + 2], sums[i + 3]);
        }
    }

    LOWTIDE_INLINE static void rotateApart(int32_t* sums, int64_t size, int64_t step) noexcept {
        for (int64_t group = 0; group < size; group += 4 * step) {
            int32_t* a = sums + group;
            for (int64_t i = 0; i < step; ++i) {
                rotateFour(a[i], a[i + step], a[i + 2 * step], a[i + 3 * step]);
            }
        }
    }
};

void decodeRotated(const StoredPart& stored, float* target) {
    const int64_t size = stored.tensor->blockElements;
    const float norm = 1 / std::sqrt(static_cast<float>(size));  // a power of two: exact
    const auto* values = reinterpret_cast<const int8_t*>(stored.blocks);
    std::vector<int32_t> sums(static_cast<size_t>(size));
    forEachRow(stored, rowScales(stored, 0), [&](int64_t first, int64_t count, float scale) {
        for (int64_t group = first; group < first + count; group += size) {
            runLoop<RotateLoop>(values + group, size, scale * norm, sums.data(), target + group);
        }
    });
}

}  // namespace

Encoding int8_convrot() {
    return {.name = "int8_convrot",
            .label = "int8, rotated",
            .companionRange = rowScaleRange,
            .fault = rowScaleFault,
            .decode = decodeRotated};
}

}  // namespace lowtide::encodings
