#pragma once

#include "plugin/encodings/ggml_fields.hpp"

namespace lowtide::encodings {

/// ggml block_q8_0: a scale, and numbers of one byte.
struct Q80Block {
    static constexpr int kElements = 32;
    static constexpr int kBytes = 34;
    static constexpr int kHalves[] = {0};

    LOWTIDE_ANYWHERE static void decodeRun(const uint8_t* block,
                                           int /*run*/,
                                           float* target) noexcept {
        scaleTo<kElements>(target, reinterpret_cast<const int8_t*>(block + 2), halfOf(block));
    }
};

}  // namespace lowtide::encodings
