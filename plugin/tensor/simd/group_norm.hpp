#pragma once
// Normalisation over groups of channels, with what networks do around it: numbers of a channel
// added before, SiLU after. Channels last. Torch-free.

#include <cstdint>
#include <vector>

namespace lowtide::tensor::simd {

/// Pixels and result [batch, pixels, channels].
struct GroupNorm {
    int64_t batch = 0;
    int64_t pixels = 0;  ///< of a picture
    int64_t channels = 0;
    int64_t groups = 1;
    double epsilon = 1e-5;
    bool isActivated = false;  ///< x sigmoid(x) of the result
    const float* values = nullptr;
    const float* added = nullptr;  ///< [batch, channels] or null
    const float* weight = nullptr;
    const float* bias = nullptr;
    float* result = nullptr;

    /// Pictures are summed in blocks, a function of their size alone.
    [[nodiscard]] int64_t blockPixels() const;
    [[nodiscard]] int64_t blocksOfPicture() const;

    [[nodiscard]] int64_t blocks() const { return batch * blocksOfPicture(); }

    /// Numbers of scratch memory: what sum() and factors() write.
    [[nodiscard]] int64_t sumNumbers() const { return blocks() * 2 * channels; }

    [[nodiscard]] int64_t factorNumbers() const { return batch * 2 * channels; }
};

/// From the sums of all blocks to a factor and a summand of each channel, [batch][2][channels].
void makeFactors(const GroupNorm& work, const float* sums, float* factors);

/// The pieces, for one instruction set.
struct GroupNormPieces {
    /// Blocks [begin, end): sums and sums of squares of each channel, less the picture's first
    /// pixel, so that large means cost no digits.
    void (*sum)(const GroupNorm&, int64_t begin, int64_t end, float* sums);
    void (*apply)(const GroupNorm&, int64_t begin, int64_t end, const float* factors);
};

}  // namespace lowtide::tensor::simd
