#pragma once
// A 3x3 convolution of stride 1 with a border of zeros, in pieces that threads can share. Each
// number of the result depends on its own picture alone and is summed over the channels in their
// order: how pieces are cut and shared changes no bit. Torch-free.

#include <cstdint>

namespace lowtide::tensor::simd {

/// Pixels and results with the channels last ([batch, height / repeat, width / repeat, in],
/// [batch, height, width, out]), kernels [out, in, 3, 3].
struct Convolution {
    int64_t batch = 0;
    int64_t in = 0;
    int64_t out = 0;
    int64_t height = 0;     ///< of the result
    int64_t width = 0;      ///< of the result
    int64_t repeat = 1;     ///< 2: each pixel counts for a square of so many to a side
    int64_t pixelStep = 0;  ///< numbers from one pixel to the next, at least `in`
    const float* pixels = nullptr;
    const float* kernels = nullptr;
    const float* bias = nullptr;  ///< may be null
    float* result = nullptr;
    bool adds = false;  ///< to what stands in the result
    bool isOver =
        false;  ///< the result begins where the pixels do: of half as many channels or less
};

/// How the work is cut. A chunk of tiles is transformed into memory that all threads share; then
/// each part (some tiles of the chunk, some channels of the result) is made on its own.
struct WinogradCut {
    int64_t tilesAcross = 0;
    int64_t tilesDown = 0;
    int64_t tiles = 0;          ///< of all pictures
    int64_t chunkTiles = 0;     ///< transformed at once; whole rows of tiles where isOver
    int64_t partTiles = 0;      ///< of a part
    int64_t blockChannels = 0;  ///< summed at once, a multiple of the lanes
    int64_t blocks = 0;         ///< of channels
    int64_t panelResults = 0;   ///< channels of the result that are multiplied at once
    int64_t partResults = 0;    ///< and of a part: some panels
    int64_t resultParts = 0;
    // Numbers from one of the 36 rows of a table to the next.
    int64_t pixelRow = 0;    ///< chunkTiles x blockChannels
    int64_t kernelRow = 0;   ///< blockChannels x panelResults
    int64_t productRow = 0;  ///< partTiles x panelResults

    [[nodiscard]] int64_t chunks() const { return (tiles + chunkTiles - 1) / chunkTiles; }

    [[nodiscard]] int64_t tilesOf(int64_t chunk) const;
    [[nodiscard]] int64_t partsOf(int64_t chunk) const;
    /// Numbers of scratch memory: of all threads, and of each.
    [[nodiscard]] int64_t sharedNumbers() const;
    [[nodiscard]] int64_t numbersOfThread() const;
};

/// For vectors of `lanes` numbers. A function of the sizes alone.
[[nodiscard]] WinogradCut cutWinograd(const Convolution& sizes, int64_t lanes);

/// The pieces, for one instruction set. Memory of shared and of a thread's numbers is the caller's.
struct WinogradPieces {
    int64_t lanes;
    /// Tiles [begin, end) of the chunk into `shared`.
    void (*transform)(const Convolution&,
                      const WinogradCut&,
                      int64_t chunk,
                      int64_t begin,
                      int64_t end,
                      float* shared);
    /// Parts [begin, end) of the chunk, once all its tiles are transformed.
    void (*convolve)(const Convolution&,
                     const WinogradCut&,
                     int64_t chunk,
                     int64_t begin,
                     int64_t end,
                     const float* shared,
                     float* ofThread);
};

}  // namespace lowtide::tensor::simd
