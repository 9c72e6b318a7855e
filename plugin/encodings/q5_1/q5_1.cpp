#include "plugin/encodings/ggml_blocks.hpp"

namespace lowtide::encodings {

namespace {

/// ggml block_q5_1: a scale, a minimum, the fifth bits, and numbers from 0 to 31.
struct Q51Block {
    static constexpr int kElements = 32;
    static constexpr int kBytes = 24;
    static constexpr int kHalves[] = {0, 2};

    LOWTIDE_INLINE static void decode(const uint8_t* block, float* target) noexcept {
        const float scale = halfOf(block);
        const float least = halfOf(block + 2);
        uint8_t numbers[kElements];
        takeBits<16>(numbers, block + 8, 0, 4);
        takeBits<16>(numbers + 16, block + 8, 4, 4);
        addFifthBits(numbers, block + 4);
        scaleAndAdd<kElements>(target, numbers, scale, least);
    }
};

}  // namespace

Encoding q5_1() {
    return ggmlEncoding<Q51Block>("q5_1", "GGUF Q5_1");
}

}  // namespace lowtide::encodings
