#pragma once
// What the encodings share whose elements are multiplied by a scale of the tensor or of their row.

#include "plugin/encodings/scales.hpp"
#include "plugin/encodings/small_floats.hpp"
#include "plugin/encodings/wide.hpp"

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

}  // namespace lowtide::encodings
