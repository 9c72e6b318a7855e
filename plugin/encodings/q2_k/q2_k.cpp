#include "plugin/encodings/ggml_blocks.hpp"

namespace lowtide::encodings {

namespace {

/// ggml block_q2_K: for each 16 numbers of 2 bits a scale and a minimum of 4 bits.
struct Q2KBlock {
    static constexpr int kElements = 256;
    static constexpr int kBytes = 84;
    static constexpr int kHalves[] = {80, 82};

    LOWTIDE_INLINE static void decode(const uint8_t* block, float* target) noexcept {
        const uint8_t* parts = block;
        const uint8_t* bits = block + 16;
        const float scale = halfOf(block + 80);
        const float least = halfOf(block + 82);
        for (int run = 0; run < 8; ++run) {
            uint8_t numbers[32];
            takeBits<32>(numbers, bits + run / 4 * 32, 2 * (run % 4), 2);
            for (int half = 0; half < 2; ++half) {
                const int part = parts[2 * run + half];
                scaleAndAdd<16>(target + 32 * run + 16 * half,
                                numbers + 16 * half,
                                scale * static_cast<float>(part & 0xF),
                                -(least * static_cast<float>(part >> 4)));
            }
        }
    }
};

}  // namespace

Encoding q2_k() {
    return ggmlEncoding<Q2KBlock>("q2_k", "GGUF Q2_K");
}

}  // namespace lowtide::encodings
