#include "plugin/encodings/ggml_blocks.hpp"

namespace lowtide::encodings {

namespace {

/// ggml block_q6_K: for each 16 numbers from -32 to 31 a scale of one byte. The upper two bits lie
/// apart.
struct Q6KBlock {
    static constexpr int kElements = 256;
    static constexpr int kBytes = 210;
    static constexpr int kHalves[] = {208};

    LOWTIDE_INLINE static void decode(const uint8_t* block, float* target) noexcept {
        const uint8_t* bits = block;
        const uint8_t* upperBits = block + 128;
        const auto* parts = reinterpret_cast<const int8_t*>(block + 192);
        const float scale = halfOf(block + 208);
        for (int run = 0; run < 8; ++run) {
            const int chunk = run / 4;
            uint8_t numbers[32];
            takeBits<32>(numbers, bits + 64 * chunk + run % 2 * 32, run % 4 / 2 * 4, 4);
            addBits<32>(numbers, upperBits + 32 * chunk, run % 4 * 2, 2, 4);
            for (int half = 0; half < 2; ++half) {
                scaleTo<16>(target + 32 * run + 16 * half,
                            numbers + 16 * half,
                            scale * static_cast<float>(parts[2 * run + half]),
                            32);
            }
        }
    }
};

}  // namespace

Encoding q6_k() {
    return ggmlEncoding<Q6KBlock>("q6_k", "GGUF Q6_K");
}

}  // namespace lowtide::encodings
