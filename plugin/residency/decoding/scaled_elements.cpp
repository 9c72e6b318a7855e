// Elements of one byte with a scale of the tensor or of their row.
#include "plugin/base/error.hpp"
#include "plugin/residency/decoding/fields.hpp"
#include "plugin/residency/decoding/rows.hpp"
#include "plugin/residency/decoding/ways.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace lowtide::residency::decoding {

namespace {

/// ATen's conversions of these types are exact: all 256 have a number in f32.
at::Tensor scaledElements(const StoredTensors& stored, at::ScalarType type) {
    at::Tensor numbers = numbersOf(stored.blocks.view(type));
    multiplyRows(numbers, stored.part.first, stored.tensor->columns, floatsOfCompanion(stored, 0));
    return numbers;
}

/// Groups of `size` whole numbers by the regular Hadamard matrix (plugin/encodings/int8_convrot),
/// not yet divided by sqrt(size). Sums of at most size * 128 are exact in f32, in whatever order.
at::Tensor rotated(at::Tensor numbers, int64_t size) {
    constexpr int64_t kLargestExact = 1 << 16;
    LOWTIDE_ASSERT(size <= kLargestExact);
    const int64_t count = numbers.numel();
    for (int64_t step = 1; step < size; step *= 4) {
        const at::Tensor fours = numbers.view({count / (4 * step), 4, step});
        const at::Tensor sums = fours.sum(1);
        const at::Tensor turned = at::empty_like(fours);
        for (int64_t i = 0; i < 4; ++i) {
            at::Tensor place = turned.select(1, i);
            at::sub_out(place, sums, fours.select(1, 3 - i), 2);  // sum - 2 * number: exact
        }
        numbers = turned.view({count});
    }
    return numbers;
}

}  // namespace

at::Tensor f8_e4m3(const StoredTensors& stored) {
    return scaledElements(stored, at::kFloat8_e4m3fn);
}

at::Tensor f8_e5m2(const StoredTensors& stored) {
    return scaledElements(stored, at::kFloat8_e5m2);
}

at::Tensor int8(const StoredTensors& stored) {
    return scaledElements(stored, at::kChar);
}

at::Tensor bnb_int8(const StoredTensors& stored) {
    constexpr auto kPart = static_cast<float>(7.874015718698502e-3);
    return scaledElements(stored, at::kChar).mul_(kPart);
}

at::Tensor int8_convrot(const StoredTensors& stored) {
    const int64_t size = stored.tensor->blockElements;
    const float norm = 1 / std::sqrt(static_cast<float>(size));  // a power of two: exact
    const at::Tensor numbers = rotated(numbersOf(stored.blocks.view(at::kChar)), size);
    multiplyRows(numbers,
                 stored.part.first,
                 stored.tensor->columns,
                 floatsOfCompanion(stored, 0).mul_(norm));
    return numbers;
}

}  // namespace lowtide::residency::decoding
