#include "plugin/encodings/scales.hpp"
#include "plugin/encodings/wide.hpp"

#include <cmath>
#include <cstring>

namespace lowtide::encodings {

namespace {

/// Rotates groups of `size` whole numbers, a power of four, by the regular Hadamard matrix, not yet
/// divided by sqrt(size).
struct RotateLoop {
    LOWTIDE_INLINE static void run(const int8_t* values,
                                   int64_t count,
                                   int64_t size,
                                   float scale,
                                   int32_t* sums,
                                   float* target) noexcept {
        for (int64_t group = 0; group < count; group += size) {
            for (int64_t i = 0; i < size; ++i) {
                sums[i] = values[group + i];
            }
            rotateNeighbours(sums, size);
            rotateApart<4>(sums, size);
            rotateApart<16>(sums, size);
            for (int64_t step = 64; step < size; step *= 4) {
                rotateColumns(sums, size, step);
            }
            for (int64_t i = 0; i < size; ++i) {
                target[group + i] = static_cast<float>(sums[i]) * scale;
            }
        }
    }

private:
    typedef int32_t Ints4 __attribute__((vector_size(16)));

    /// Of four neighbours each becomes their sum without twice the opposite one.
    LOWTIDE_INLINE static void rotateNeighbours(int32_t* sums, int64_t size) noexcept {
        for (int64_t i = 0; i < size; i += 4) {
            Ints4 x;
            std::memcpy(&x, sums + i, sizeof(x));
            const Ints4 pairs = x + __builtin_shufflevector(x, x, 1, 0, 3, 2);
            const Ints4 sum = pairs + __builtin_shufflevector(pairs, pairs, 2, 3, 0, 1);
            const Ints4 rotated = sum - 2 * __builtin_shufflevector(x, x, 3, 2, 1, 0);
            std::memcpy(sums + i, &rotated, sizeof(rotated));
        }
    }

    /// Steps that the compiler knows are twice as fast.
    template <int kStep>
    LOWTIDE_INLINE static void rotateApart(int32_t* sums, int64_t size) noexcept {
        if (size > kStep) {
            rotateColumns(sums, size, kStep);
        }
    }

    /// The same of four numbers `step` apart, four columns at once.
    LOWTIDE_INLINE static void rotateColumns(int32_t* sums, int64_t size, int64_t step) noexcept {
        for (int64_t group = 0; group < size; group += 4 * step) {
            for (int64_t i = group; i < group + step; i += 4) {
                Ints4 x[4];
                for (int64_t part = 0; part < 4; ++part) {
                    std::memcpy(&x[part], sums + i + part * step, sizeof(x[part]));
                }
                const Ints4 sum = (x[0] + x[1]) + (x[2] + x[3]);
                for (int64_t part = 0; part < 4; ++part) {
                    const Ints4 rotated = sum - 2 * x[3 - part];
                    std::memcpy(sums + i + part * step, &rotated, sizeof(rotated));
                }
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
        runLoop<RotateLoop>(values + first, count, size, scale * norm, sums.data(), target + first);
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
