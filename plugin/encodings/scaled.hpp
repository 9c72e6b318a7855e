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

template <typename Element>
Encoding scaledEncoding(std::string_view name, std::string_view label) {
    return {.name = name,
            .label = label,
            .companionRange = rowScaleRange,
            .fault = rowScaleFault,
            .decode = decodeScaled<Element>};
}

}  // namespace lowtide::encodings
