#pragma once
// Elements with a scale next to the tensor: one for all of it, or one for each row.

#include "plugin/encodings/anywhere.hpp"
#include "plugin/encodings/encodings.hpp"
#include "plugin/encodings/small_floats.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace lowtide::encodings {

/// Number `index` of those at `bytes`: f32, f16 or bf16, at any alignment.
LOWTIDE_ANYWHERE float scaleAt(const std::byte* bytes, DType type, int64_t index) noexcept {
    if (type == DType::F16) {
        return halfAt(bytes + 2 * index);
    }
    uint32_t bits = 0;
    if (type == DType::BF16) {
        uint16_t upper = 0;
        std::memcpy(&upper, bytes + 2 * index, sizeof(upper));
        bits = uint32_t(upper) << 16;
    } else {
        std::memcpy(&bits, bytes + 4 * index, sizeof(bits));
    }
    return std::bit_cast<float>(bits);
}

/// The scales of the rows that `part` touches, or the one of the tensor.
[[nodiscard]] ByteRange rowScaleRange(const memory::Encoded& tensor, size_t companion, Part part);
/// As f32, one for each row that the part touches; a tensor's one scale once for each.
[[nodiscard]] std::vector<float> rowScales(const StoredPart& stored, size_t companion);
/// The first of them that is zero, negative, infinite or no number.
[[nodiscard]] std::optional<Message> rowScaleFault(const StoredPart& stored);

/// The scale of numbers up to `largest` in elements up to `largestElement`; of zeros too a positive
/// one. Source: comfy-kitchen, which keeps scales from 1e-30 on.
[[nodiscard]] inline float scaleFor(float largest, float largestElement) {
    constexpr float kSmallestScale = 1e-30F;
    return std::max(largest / largestElement, kSmallestScale);
}

/// Calls work(first, count, scale) for the elements of each row; `first` counts from where the part
/// begins.
template <typename Work>
void forEachRow(const StoredPart& stored, const std::vector<float>& scales, const Work& work) {
    const int64_t columns = stored.tensor->columns;
    const int64_t firstRow = stored.part.first / columns;
    const int64_t end = stored.part.first + stored.part.count;
    for (int64_t first = stored.part.first; first < end;) {
        const int64_t row = first / columns;
        const int64_t count = std::min(end, (row + 1) * columns) - first;
        work(first - stored.part.first, count, scales[static_cast<size_t>(row - firstRow)]);
        first += count;
    }
}

/// bitsandbytes, int8_vectorwise_dequant: the scale is a row's largest magnitude; 1 / 127 is
/// multiplied last.
struct BnbInt8 {
    LOWTIDE_ANYWHERE static float number(uint8_t bits, float largest) noexcept {
        constexpr auto kPart = static_cast<float>(7.874015718698502e-3);
        return Int8::number(bits) * largest * kPart;
    }
};

/// Four numbers by [[1,1,1,-1],[1,1,-1,1],[1,-1,1,1],[-1,1,1,1]], whose Kronecker powers are the
/// regular Hadamard matrices (ConvRot, arXiv 2512.03673). Sums of whole numbers are exact, in
/// whatever order.
LOWTIDE_ANYWHERE void rotateFour(int32_t& a, int32_t& b, int32_t& c, int32_t& d) noexcept {
    const int32_t sum = a + b + c + d;
    const int32_t first = sum - 2 * d;
    const int32_t second = sum - 2 * c;
    const int32_t third = sum - 2 * b;
    d = sum - 2 * a;
    a = first;
    b = second;
    c = third;
}

}  // namespace lowtide::encodings
