#include "plugin/encodings/ggml_blocks.hpp"

namespace lowtide::encodings {

namespace {

/// ggml block_q5_0: a scale, the fifth bits, and numbers from -16 to 15.
struct Q50Block {
    static constexpr int kElements = 32;
    static constexpr int kBytes = 22;
    static constexpr int kHalves[] = {0};

    LOWTIDE_INLINE static void decode(const uint8_t* block, float* target) noexcept {
        const float scale = halfOf(block);
        uint8_t numbers[kElements];
        takeBits<16>(numbers, block + 6, 0, 4);
        takeBits<16>(numbers + 16, block + 6, 4, 4);
        addFifthBits(numbers, block + 2);
        scaleTo<kElements>(target, numbers, scale, 16);
    }
};

}  // namespace

Encoding q5_0() {
    return ggmlEncoding<Q50Block>("q5_0", "GGUF Q5_0");
}

}  // namespace lowtide::encodings
