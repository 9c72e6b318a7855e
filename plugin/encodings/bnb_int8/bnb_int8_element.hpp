#pragma once

#include "plugin/encodings/small_floats.hpp"

namespace lowtide::encodings {

/// bitsandbytes, int8_vectorwise_dequant: the scale is a row's largest magnitude; 1 / 127 is
/// multiplied last.
struct BnbInt8 {
    LOWTIDE_ANYWHERE static float number(uint8_t bits, float largest) noexcept {
        constexpr auto kPart = static_cast<float>(7.874015718698502e-3);
        return Int8::number(bits) * largest * kPart;
    }
};

}  // namespace lowtide::encodings
