#include "plugin/encodings/ggml_blocks.hpp"

namespace lowtide::encodings {

namespace {

/// ggml block_q8_0: a scale, and numbers of one byte.
struct Q80Block {
    static constexpr int kElements = 32;
    static constexpr int kBytes = 34;
    static constexpr int kHalves[] = {0};

    LOWTIDE_INLINE static void decode(const uint8_t* block, float* target) noexcept {
        scaleTo<kElements>(target, reinterpret_cast<const int8_t*>(block + 2), halfOf(block));
    }
};

}  // namespace

Encoding q8_0() {
    return ggmlEncoding<Q80Block>("q8_0", "GGUF Q8_0");
}

}  // namespace lowtide::encodings
