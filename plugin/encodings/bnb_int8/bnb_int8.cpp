#include "plugin/encodings/scales.hpp"
#include "plugin/encodings/small_floats.hpp"
#include "plugin/encodings/wide.hpp"

namespace lowtide::encodings {

namespace {

/// bitsandbytes, int8_vectorwise_dequant: the scale is a row's largest magnitude; 1 / 127 is
/// multiplied last.
struct Int8RowLoop {
    LOWTIDE_INLINE static void run(const uint8_t* values,
                                   int64_t count,
                                   float largest,
                                   float* target) noexcept {
        constexpr auto kPart = static_cast<float>(7.874015718698502e-3);
        for (int64_t i = 0; i < count; ++i) {
            target[i] = Int8::number(values[i]) * largest * kPart;
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

}  // namespace lowtide::encodings
