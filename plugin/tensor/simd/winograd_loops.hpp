#pragma once
// The pieces of winograd.hpp with the vectors of the including file.

#include "plugin/tensor/simd/pieces.hpp"
#include "plugin/tensor/simd/product.hpp"
#include "plugin/tensor/simd/weights.hpp"
#include "plugin/tensor/simd/winograd_transforms.hpp"

namespace lowtide::tensor::simd {
namespace {

/// Where a tile's result begins.
struct TileOrigin {
    int64_t image;
    int64_t top;
    int64_t left;
};

inline TileOrigin originOf(const WinogradCut& cut, int64_t tile) {
    const int64_t row = tile / cut.tilesAcross;
    return {row / cut.tilesDown, row % cut.tilesDown * kTile, tile % cut.tilesAcross * kTile};
}

/// The 36 pixels below a tile; those outside of the image are `zeros`.
inline void findPixels(const Convolution& work,
                       const TileOrigin& origin,
                       const float* zeros,
                       const float* (&pixels)[kProducts]) {
    for (int i = 0; i < kProducts; ++i) {
        const int64_t y = origin.top - 1 + i / kWindow;
        const int64_t x = origin.left - 1 + i % kWindow;
        const bool isInside = y >= 0 && y < work.height && x >= 0 && x < work.width;
        const int64_t row = (origin.image * work.height + y) / work.repeat;
        const int64_t pixel = row * (work.width / work.repeat) + x / work.repeat;
        pixels[i] = isInside ? work.pixels + pixel * work.pixelStep : zeros;
    }
}

/// [block][product][tile][channel of the block], then zeros.
inline void transformTiles(const Convolution& work,
                           const WinogradCut& cut,
                           int64_t chunk,
                           int64_t begin,
                           int64_t end,
                           float* shared) {
    const float* zeros = shared + cut.blocks * kProducts * cut.pixelRow;
    for (int64_t tile = begin; tile < end; ++tile) {
        const float* pixels[kProducts];
        findPixels(work, originOf(cut, chunk * cut.chunkTiles + tile), zeros, pixels);
        for (int64_t first = 0; first < work.in; first += kVectorWidth) {
            const int64_t count = smaller(kVectorWidth, work.in - first);
            Vector values[kProducts];
            for (int i = 0; i < kProducts; ++i) {
                values[i] = loadSome(pixels[i] + first, count);
            }
            transformWindow(values);
            const int64_t block = first / cut.blockChannels;
            float* to = shared + block * kProducts * cut.pixelRow + tile * cut.blockChannels +
                        first % cut.blockChannels;
            for (int i = 0; i < kProducts; ++i) {
                store(to + i * cut.pixelRow, values[i]);
            }
        }
    }
}

/// Some channels of so many kernels as there are lanes, each lane a kernel.
/// [product][channel][kernel of the panel].
inline void transformKernels(const Convolution& work,
                             const WinogradCut& cut,
                             int64_t firstKernel,
                             int64_t firstChannel,
                             int64_t channels,
                             float* out) {
    const int64_t kernels = smaller(kVectorWidth, work.out - firstKernel);
    const int64_t first = (firstKernel * work.in + firstChannel) * kTaps;
    for (int64_t channel = 0; channel < channels; channel += kVectorWidth) {
        const int64_t some = smaller(kVectorWidth, channels - channel);
        Vector taps[kTaps * kVectorWidth];
        for (int64_t tap = 0; tap < some * kTaps; tap += kVectorWidth) {
            Vector square[kVectorWidth];
            for (int64_t i = 0; i < kVectorWidth; ++i) {
                const int64_t kernel = first + (i * work.in + channel) * kTaps + tap;
                square[i] =
                    i < kernels ? loadWeights(work.kernels, kernel, some * kTaps - tap) : Vector{};
            }
            transpose(square);
            for (int64_t i = 0; i < kVectorWidth; ++i) {
                taps[tap + i] = square[i];
            }
        }
        for (int64_t i = 0; i < some; ++i) {
            transformKernel(
                &taps[i * kTaps], out + (channel + i) * cut.panelResults, cut.kernelRow);
        }
    }
}

/// One of the parts.
struct Part {
    int64_t chunk;
    int64_t firstTile;  ///< of the chunk
    int64_t tiles;
    int64_t firstResult;
    int64_t panels;
};

inline Part partOf(const Convolution& work, const WinogradCut& cut, int64_t chunk, int64_t index) {
    const int64_t tileParts = cut.partsOf(chunk) / cut.resultParts;
    const int64_t firstTile = index % tileParts * cut.partTiles;
    const int64_t firstResult = index / tileParts * cut.partResults;
    const int64_t results = smaller(cut.partResults, work.out - firstResult);
    return {chunk,
            firstTile,
            smaller(cut.partTiles, cut.tilesOf(chunk) - firstTile),
            firstResult,
            (results + cut.panelResults - 1) / cut.panelResults};
}

/// Adds the products of one block of channels; the first block starts the sums. All panels take
/// their turn before the next pixels are read.
inline void addProducts(const WinogradCut& cut,
                        const Part& part,
                        int64_t block,
                        int64_t channels,
                        const float* shared,
                        const float* kernels,
                        float* products) {
    for (int i = 0; i < kProducts; ++i) {
        const float* pixels =
            shared + (block * kProducts + i) * cut.pixelRow + part.firstTile * cut.blockChannels;
        for (int64_t panel = 0; panel < part.panels; ++panel) {
            multiply({.a = pixels,
                      .aRow = cut.blockChannels,
                      .aStep = 1,
                      .b = kernels + (panel * kProducts + i) * cut.kernelRow,
                      .bStep = kColumns,
                      .depth = channels,
                      .c = products + (panel * kProducts + i) * cut.productRow,
                      .cRow = kColumns,
                      .adds = block > 0},
                     part.tiles);
        }
    }
}

/// The pixels of one tile, for as many channels as there are lanes.
inline void writeTile(const Convolution& work,
                      const TileOrigin& origin,
                      int64_t firstResult,
                      const Vector (&pixels)[kTile * kTile]) {
    const int64_t results = smaller(kVectorWidth, work.out - firstResult);
    const Vector bias = work.bias ? loadSome(work.bias + firstResult, results) : Vector{};
    for (int64_t i = 0; i < smaller(kTile, work.height - origin.top); ++i) {
        const int64_t row =
            (origin.image * work.height + origin.top + i) * work.width + origin.left;
        for (int64_t j = 0; j < smaller(kTile, work.width - origin.left); ++j) {
            float* const to = work.result + (row + j) * work.out + firstResult;
            const Vector value = pixels[i * kTile + j] + bias;
            storeSome(to, work.adds ? value + loadSome(to, results) : value, results);
        }
    }
}

inline void writeResults(const Convolution& work,
                         const WinogradCut& cut,
                         const Part& part,
                         const float* products) {
    for (int64_t tile = 0; tile < part.tiles; ++tile) {
        const TileOrigin origin =
            originOf(cut, part.chunk * cut.chunkTiles + part.firstTile + tile);
        for (int64_t result = 0; result < part.panels * kColumns; result += kVectorWidth) {
            if (part.firstResult + result >= work.out) {
                break;
            }
            const float* panel = products + result / kColumns * kProducts * cut.productRow;
            Vector pixels[kTile * kTile];
            transformBack(panel + tile * kColumns + result % kColumns, cut.productRow, pixels);
            writeTile(work, origin, part.firstResult + result, pixels);
        }
    }
}

/// The panels' kernels of one block of channels.
inline void transformPanels(const Convolution& work,
                            const WinogradCut& cut,
                            const Part& part,
                            int64_t block,
                            int64_t channels,
                            float* kernels) {
    for (int64_t panel = 0; panel < part.panels; ++panel) {
        const int64_t kernel = part.firstResult + panel * kColumns;
        float* out = kernels + panel * kProducts * cut.kernelRow;
        for (int64_t half = 0; half < kColumns; half += kVectorWidth) {
            transformKernels(
                work, cut, kernel + half, block * cut.blockChannels, channels, out + half);
        }
    }
}

/// Of neighbours with the same results the kernels are kept where one block holds all channels.
inline void convolveParts(const Convolution& work,
                          const WinogradCut& cut,
                          int64_t chunk,
                          int64_t begin,
                          int64_t end,
                          const float* shared,
                          float* ofThread) {
    float* const kernels = ofThread;
    float* const products = kernels + cut.partResults / kColumns * kProducts * cut.kernelRow;
    int64_t transformed = -1;
    for (int64_t index = begin; index < end; ++index) {
        const Part part = partOf(work, cut, chunk, index);
        for (int64_t block = 0; block < cut.blocks; ++block) {
            const int64_t channels =
                smaller(cut.blockChannels, work.in - block * cut.blockChannels);
            if (cut.blocks > 1 || transformed != part.firstResult) {
                transformPanels(work, cut, part, block, channels, kernels);
                transformed = part.firstResult;
            }
            addProducts(cut, part, block, channels, shared, kernels, products);
        }
        writeResults(work, cut, part, products);
    }
}

}  // namespace
}  // namespace lowtide::tensor::simd
