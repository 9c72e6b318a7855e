#include "plugin/encodings/scaled_elements.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/message.hpp"
#include "plugin/encodings/anywhere.hpp"
#include "plugin/encodings/small_floats.hpp"

#include <cmath>
#include <cstring>

namespace lowtide::encodings {

/// target[i] = number(values[i]) * scale, in f32.
template <typename Element>
struct ScaledLoop {
    LOWTIDE_INLINE static void run(const uint8_t* values,
                                   int64_t count,
                                   float scale,
                                   float* target) noexcept {
        for (int64_t i = 0; i < count; ++i) {
            target[i] = Element::number(values[i]) * scale;
        }
    }
};

template <typename Element>
void decodeScaled(const StoredPart& stored, float* target) {
    const auto* values = reinterpret_cast<const uint8_t*>(stored.blocks);
    forEachRow(stored, rowScales(stored, 0), [&](int64_t first, int64_t count, float scale) {
        runLoop<ScaledLoop<Element>>(values + first, count, scale, target + first);
    });
}

/// values[i] = numbers[i] / scale, rounded to what the element holds.
template <typename Element>
struct ScalingLoop {
    LOWTIDE_INLINE static void run(const float* numbers,
                                   int64_t count,
                                   float scale,
                                   uint8_t* values) noexcept {
        for (int64_t i = 0; i < count; ++i) {
            values[i] = Element::scaled(numbers[i], scale);
        }
    }
};

template <typename Element>
void encodeScaled(const StoredPart& part, const float* numbers, std::byte* blocks) {
    auto* values = reinterpret_cast<uint8_t*>(blocks);
    forEachRow(part, rowScales(part, 0), [&](int64_t first, int64_t count, float scale) {
        runLoop<ScalingLoop<Element>>(numbers + first, count, scale, values + first);
    });
}

template <typename Element>
Encoding scaledEncoding(std::string_view name, std::string_view label) {
    return {.name = name,
            .label = label,
            .companionRange = rowScaleRange,
            .fault = rowScaleFault,
            .decode = decodeScaled<Element>};
}

/// The same of elements that are written too.
template <typename Element>
Encoding writtenScaledEncoding(std::string_view name, std::string_view label) {
    Encoding encoding = scaledEncoding<Element>(name, label);
    encoding.encode = encodeScaled<Element>;
    encoding.largestElement = Element::kLargest;
    return encoding;
}

namespace {

struct Rows {
    int64_t first = 0;
    int64_t count = 0;
};

Rows rowsOf(const memory::Encoded& tensor, Part part) {
    const int64_t first = part.first / tensor.columns;
    const int64_t end = (part.first + part.count + tensor.columns - 1) / tensor.columns;
    return {first, end - first};
}

bool isOfTensor(const memory::Companion& scales) {
    return scales.elementCount == 1;
}

}  // namespace

ByteRange rowScaleRange(const memory::Encoded& tensor, size_t companion, Part part) {
    const memory::Companion& scales = tensor.companions[companion];
    const Bytes size = sizeOf(scales.type);
    if (isOfTensor(scales)) {
        return {0, size};
    }
    const Rows rows = rowsOf(tensor, part);
    return {rows.first * size, rows.count * size};
}

std::vector<float> rowScales(const StoredPart& stored, size_t companion) {
    const memory::Companion& scales = stored.tensor->companions[companion];
    LOWTIDE_ASSERT(scales.type == DType::F32 || scales.type == DType::F16 ||
                   scales.type == DType::BF16);
    const std::byte* bytes = stored.companions[companion].data();
    std::vector<float> values(static_cast<size_t>(rowsOf(*stored.tensor, stored.part).count));
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = scaleAt(bytes, scales.type, isOfTensor(scales) ? 0 : static_cast<int64_t>(i));
    }
    return values;
}

std::optional<Message> rowScaleFault(const StoredPart& stored) {
    const int64_t firstRow = rowsOf(*stored.tensor, stored.part).first;
    const std::vector<float> scales = rowScales(stored, 0);
    for (size_t i = 0; i < scales.size(); ++i) {
        if (!std::isfinite(scales[i]) || scales[i] <= 0) {
            return isOfTensor(stored.tensor->companions[0])
                       ? message("the scale is {}, where a positive number belongs",
                                 std::to_string(scales[i]))
                       : message("the scale of row {} is {}, where a positive number belongs",
                                 firstRow + static_cast<int64_t>(i),
                                 std::to_string(scales[i]));
        }
    }
    return std::nullopt;
}

Encoding f8_e4m3() {
    return writtenScaledEncoding<E4M3>("f8_e4m3", "fp8 e4m3, scaled");
}

Encoding f8_e5m2() {
    return scaledEncoding<E5M2>("f8_e5m2", "fp8 e5m2, scaled");
}

Encoding int8() {
    return writtenScaledEncoding<Int8>("int8", "int8");
}

namespace {

struct Int8RowLoop {
    LOWTIDE_INLINE static void run(const uint8_t* values,
                                   int64_t count,
                                   float largest,
                                   float* target) noexcept {
        for (int64_t i = 0; i < count; ++i) {
            target[i] = BnbInt8::number(values[i], largest);
        }
    }
};

void decodeRows(const StoredPart& stored, float* target) {
    const auto* values = reinterpret_cast<const uint8_t*>(stored.blocks);
    forEachRow(stored, rowScales(stored, 0), [&](int64_t first, int64_t count, float largest) {
        runLoop<Int8RowLoop>(values + first, count, largest, target + first);
    });
}

}  // namespace

Encoding bnb_int8() {
    return {.name = "bnb_int8",
            .label = "bitsandbytes int8",
            .companionRange = rowScaleRange,
            .fault = rowScaleFault,
            .decode = decodeRows};
}

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
