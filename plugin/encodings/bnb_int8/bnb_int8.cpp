#include "plugin/encodings/bnb_int8/bnb_int8_element.hpp"
#include "plugin/encodings/scales.hpp"
#include "plugin/encodings/wide.hpp"

namespace lowtide::encodings {

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

}  // namespace lowtide::encodings
