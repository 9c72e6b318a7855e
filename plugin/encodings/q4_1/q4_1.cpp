#include "plugin/encodings/ggml_blocks.hpp"

namespace lowtide::encodings {

namespace {

/// ggml block_q4_1: a scale, a minimum, and numbers from 0 to 15.
struct Q41Block {
    static constexpr int kElements = 32;
    static constexpr int kBytes = 20;
    static constexpr int kHalves[] = {0, 2};

    LOWTIDE_INLINE static void decode(const uint8_t* block, float* target) noexcept {
        const float scale = halfOf(block);
        const float least = halfOf(block + 2);
        uint8_t numbers[kElements];
        takeBits<16>(numbers, block + 4, 0, 4);
        takeBits<16>(numbers + 16, block + 4, 4, 4);
        scaleAndAdd<16>(target, numbers, scale, least);
        scaleAndAdd<16>(target + 16, numbers + 16, scale, least);
    }
};

}  // namespace

Encoding q4_1() {
    return ggmlEncoding<Q41Block>("q4_1", "GGUF Q4_1");
}

}  // namespace lowtide::encodings
