#pragma once
// The pieces of our own operators and how their work is cut, compiled for each instruction set;
// blocks change no bit. Torch-free.

#include <cstdint>
#include <vector>

namespace lowtide::tensor::simd {

/// Weights in the type of their file; those of 16 bits count as f32, to the bit.
enum class WeightType : uint8_t { F32, F16, BF16 };

struct Weights {
    const void* data = nullptr;
    WeightType type = WeightType::F32;
};

// softmax(q k^T / sqrt(width)) v without its matrix of scores, in pieces that threads can share.
// Blocks begin at fixed indices: how pieces are distributed changes no bit. Torch-free.
// Source: Dao et al. 2022 (FlashAttention), with queries along the vectors.

/// One argument: [batch, heads, rows, width] with numbers of a row side by side.
struct AttentionRows {
    const float* data = nullptr;
    int64_t batchStep = 0;  ///< in numbers
    int64_t headStep = 0;
    int64_t rowStep = 0;
};

struct Attention {
    int64_t batch = 0;
    int64_t heads = 0;
    int64_t queries = 0;
    int64_t keys = 0;
    int64_t width = 0;  ///< of a head
    AttentionRows q;
    AttentionRows k;
    AttentionRows v;
    float* result = nullptr;  ///< [batch, queries, heads, width]
};

/// The pieces, for one instruction set.
struct AttentionPieces {
    int64_t queriesOfPart;
    /// Numbers of scratch memory of a thread, for heads of that width.
    int64_t (*numbersOfThread)(int64_t width);
    /// Parts [begin, end) of all; part i is part i % n of the queries of head i / n, where n parts
    /// hold all queries.
    void (*attend)(const Attention&, int64_t begin, int64_t end, float* ofThread);
};

// Normalisation over groups of channels, with what networks do around it: numbers of a channel
// added before, SiLU after. Channels last. Torch-free.

/// Pixels and result [batch, pixels, channels].
struct GroupNorm {
    int64_t batch = 0;
    int64_t pixels = 0;  ///< of an image
    int64_t channels = 0;
    int64_t groups = 1;
    double epsilon = 1e-5;
    bool isActivated = false;  ///< x sigmoid(x) of the result
    const float* values = nullptr;
    const float* added = nullptr;  ///< [batch, channels] or null
    const float* weight = nullptr;
    const float* bias = nullptr;
    float* result = nullptr;

    /// Images are summed in blocks, a function of their size alone.
    [[nodiscard]] int64_t blockPixels() const;
    [[nodiscard]] int64_t blocksOfImage() const;

    [[nodiscard]] int64_t blocks() const { return batch * blocksOfImage(); }

    /// Numbers of scratch memory: what sum() and factors() write.
    [[nodiscard]] int64_t sumNumbers() const { return blocks() * 2 * channels; }

    [[nodiscard]] int64_t factorNumbers() const { return batch * 2 * channels; }
};

/// From the sums of all blocks to a factor and a summand of each channel, [batch][2][channels].
void makeFactors(const GroupNorm& work, const float* sums, float* factors);

/// The pieces, for one instruction set.
struct GroupNormPieces {
    /// Blocks [begin, end): sums and sums of squares of each channel, less the image's first
    /// pixel, so that large means cost no digits.
    void (*sum)(const GroupNorm&, int64_t begin, int64_t end, float* sums);
    void (*apply)(const GroupNorm&, int64_t begin, int64_t end, const float* factors);
};

// A 3x3 convolution of stride 1 with a border of zeros, in pieces that threads can share. Each
// number of the result depends on its own image alone and is summed over the channels in their
// order: how pieces are cut and distributed changes no bit. Torch-free.

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
    Weights kernels{};
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
    int64_t tiles = 0;          ///< of all images
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

/// For vectors of `vectorWidth` numbers. A function of the sizes alone.
[[nodiscard]] WinogradCut cutWinograd(const Convolution& sizes, int64_t vectorWidth);

/// The pieces, for one instruction set. Memory of shared and of a thread's numbers is the caller's.
struct WinogradPieces {
    int64_t vectorWidth;
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

// A product of rows with a matrix, in f32, in pieces that threads can share. Torch-free.

/// result[rows][out] = bias + x [rows][in] times weight, [out][in] or, transposed, [in][out].
struct Linear {
    int64_t rows = 0;
    int64_t in = 0;
    int64_t out = 0;
    const float* x = nullptr;
    int64_t xRow = 0;  ///< numbers from one row to the next
    Weights weight{};
    int64_t weightRow = 0;
    bool isTransposed = false;
    const float* bias = nullptr;  ///< may be null
    float* result = nullptr;
};

/// How the result is cut into parts, each of them made on its own: blocks of columns, of all rows
/// or of some where there are few blocks.
struct LinearCut {
    int64_t blockColumns = 0;
    int64_t partRows = 0;  ///< a multiple of those of a panel
    int64_t rowParts = 0;
    int64_t parts = 0;
};

/// The pieces, for one instruction set.
struct LinearPieces {
    int64_t leastColumns;  ///< of a part
    int64_t mostColumns;   ///< least times a power of two
    int64_t mostRows;
    int64_t rowsOfPanel;
    int64_t numbersOfThread;  ///< of scratch memory
    /// Parts [begin, end) of all; neighbours share their columns.
    void (*multiply)(const Linear&, const LinearCut&, int64_t begin, int64_t end, float* ofThread);
};

/// For so many threads.
[[nodiscard]] LinearCut cutLinear(const Linear& sizes, const LinearPieces& pieces, int64_t threads);

// x / sqrt(mean(x^2) + epsilon) times a weight, of each row of [rows][width]. Torch-free.
struct RowNorm {
    int64_t rows = 0;
    int64_t width = 0;
    const float* values = nullptr;
    const float* weight = nullptr;  ///< may be null
    double epsilon = 0;
    float* result = nullptr;
};

struct Pieces {
    WinogradPieces winograd;
    AttentionPieces attention;
    GroupNormPieces groupNorm;
    void (*normRows)(const RowNorm&, int64_t begin, int64_t end);
    LinearPieces linear;
};

/// Only for processors that have the instructions: AVX2 with FMA and F16C, and AVX-512 F, BW, DQ,
/// VL.
[[nodiscard]] const Pieces& avx2Pieces();
[[nodiscard]] const Pieces& avx512Pieces();

}  // namespace lowtide::tensor::simd
