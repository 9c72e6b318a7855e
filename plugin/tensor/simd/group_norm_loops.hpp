#pragma once
// The pieces of group_norm.hpp with the vectors of the including file.

#include "plugin/tensor/simd/pieces.hpp"
#include "plugin/tensor/simd/vectors.hpp"

namespace lowtide::tensor::simd {
namespace {

/// Pixels of one block.
struct PixelBlock {
    int64_t image;
    int64_t first;  ///< of all pixels of all images
    int64_t count;
};

inline PixelBlock pixelBlockOf(const GroupNorm& work, int64_t index) {
    const int64_t blocks = work.blocksOfImage();
    const int64_t size = work.blockPixels();
    const int64_t image = index / blocks;
    const int64_t first = index % blocks * size;
    const int64_t left = work.pixels - first;
    return {image, image * work.pixels + first, left < size ? left : size};
}

inline void sumBlocks(const GroupNorm& work, int64_t begin, int64_t end, float* sums) {
    for (int64_t index = begin; index < end; ++index) {
        const PixelBlock block = pixelBlockOf(work, index);
        const float* middle = work.values + block.image * work.pixels * work.channels;
        float* sum = sums + index * 2 * work.channels;
        float* squares = sum + work.channels;
        for (int64_t i = 0; i < 2 * work.channels; ++i) {
            sum[i] = 0;
        }
        for (int64_t pixel = block.first; pixel < block.first + block.count; ++pixel) {
            const float* values = work.values + pixel * work.channels;
            for (int64_t channel = 0; channel < work.channels; channel += kVectorWidth) {
                const int64_t some = work.channels - channel;
                const Vector value =
                    loadSome(values + channel, some) - loadSome(middle + channel, some);
                storeSome(sum + channel, loadSome(sum + channel, some) + value, some);
                storeSome(
                    squares + channel, loadSome(squares + channel, some) + value * value, some);
            }
        }
    }
}

inline Vector silu(Vector x) {
    constexpr float kLeast = -88.0F;  // below, e^-x is no finite number; silu is 0 there
    const Vector bounded = all(kLeast) > x ? all(kLeast) : x;
    return x / (1.0F + exp2(bounded * static_cast<float>(-kLog2OfE)));
}

inline void applyBlocks(const GroupNorm& work, int64_t begin, int64_t end, const float* factors) {
    for (int64_t index = begin; index < end; ++index) {
        const PixelBlock block = pixelBlockOf(work, index);
        const float* factor = factors + block.image * 2 * work.channels;
        const float* summand = factor + work.channels;
        for (int64_t pixel = block.first; pixel < block.first + block.count; ++pixel) {
            const float* values = work.values + pixel * work.channels;
            float* result = work.result + pixel * work.channels;
            for (int64_t channel = 0; channel < work.channels; channel += kVectorWidth) {
                const int64_t some = work.channels - channel;
                const Vector value =
                    loadSome(values + channel, some) * loadSome(factor + channel, some) +
                    loadSome(summand + channel, some);
                storeSome(result + channel, work.isActivated ? silu(value) : value, some);
            }
        }
    }
}

}  // namespace
}  // namespace lowtide::tensor::simd
