#include "plugin/encodings/ggml_blocks.hpp"
#include "plugin/encodings/q8_0/q8_0_block.hpp"

#include <limits>

namespace lowtide::encodings {

namespace {

/// The same, written.
struct Q80Writer : Q80Block {
    /// In units of a scale that is not yet a half, rounded away from zero: as the Python package
    /// gguf 0.19.0.
    LOWTIDE_INLINE static void encode(const float* numbers, uint8_t* block) noexcept {
        const float scale = largestOf<kElements>(numbers) / 127;
        const float inverse = 1 / scale;
        const float factor = inverse <= std::numeric_limits<float>::max() ? inverse : 0;
        putHalf(block, scale);
        auto* values = reinterpret_cast<int8_t*>(block + 2);
        LOWTIDE_ROLLED
        for (int i = 0; i < kElements; ++i) {
            const float exact = numbers[i] * factor;
            const float magnitude = std::fabs(exact);
            const auto whole = static_cast<int32_t>(magnitude);
            const int32_t rounded = whole + (magnitude - static_cast<float>(whole) >= 0.5F);
            values[i] = static_cast<int8_t>(exact < 0 ? -rounded : rounded);
        }
    }
};

}  // namespace

Encoding q8_0() {
    return writtenGgmlEncoding<Q80Writer>("q8_0", "GGUF Q8_0");
}

}  // namespace lowtide::encodings
