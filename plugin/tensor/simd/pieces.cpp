#include "plugin/tensor/simd/pieces.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::tensor::simd {

namespace {

constexpr int64_t kLeastBlockPixels = 32;
constexpr int64_t kMostBlocks = 256;

/// Mean and variance of numbers, which sets can be joined to.
struct Moments {
    double count = 0;
    double mean = 0;
    double squares = 0;  ///< of deviations, summed

    /// Source: Chan et al. 1979.
    void join(const Moments& other) {
        const double all = count + other.count;
        const double apart = other.mean - mean;
        squares += other.squares + apart * apart * count * other.count / all;
        mean += apart * other.count / all;
        count = all;
    }
};

/// Of one channel of an image.
Moments momentsOf(const GroupNorm& work, const float* sums, int64_t image, int64_t channel) {
    const int64_t blocks = work.blocksOfImage();
    const float* first = sums + image * blocks * 2 * work.channels + channel;
    double sum = 0;
    double squares = 0;
    for (int64_t block = 0; block < blocks; ++block) {
        sum += static_cast<double>(first[block * 2 * work.channels]);
        squares += static_cast<double>(first[(block * 2 + 1) * work.channels]);
    }
    const auto count = static_cast<double>(work.pixels);
    const int64_t pixel = image * work.pixels * work.channels + channel;
    const double added =
        work.added ? static_cast<double>(work.added[image * work.channels + channel]) : 0;
    return {count,
            static_cast<double>(work.values[pixel]) + added + sum / count,
            squares - sum * sum / count};
}

}  // namespace

int64_t GroupNorm::blockPixels() const {
    return std::max((pixels + kMostBlocks - 1) / kMostBlocks, std::min(pixels, kLeastBlockPixels));
}

int64_t GroupNorm::blocksOfImage() const {
    return (pixels + blockPixels() - 1) / blockPixels();
}

void makeFactors(const GroupNorm& work, const float* sums, float* factors) {
    const int64_t width = work.channels / work.groups;
    for (int64_t image = 0; image < work.batch; ++image) {
        float* factor = factors + image * 2 * work.channels;
        float* summand = factor + work.channels;
        for (int64_t first = 0; first < work.channels; first += width) {
            Moments all;
            for (int64_t channel = first; channel < first + width; ++channel) {
                all.join(momentsOf(work, sums, image, channel));
            }
            const double scale = 1 / std::sqrt(all.squares / all.count + work.epsilon);
            for (int64_t channel = first; channel < first + width; ++channel) {
                const double weight = static_cast<double>(work.weight[channel]) * scale;
                const double added =
                    work.added ? static_cast<double>(work.added[image * work.channels + channel])
                               : 0;
                factor[channel] = static_cast<float>(weight);
                summand[channel] = static_cast<float>(static_cast<double>(work.bias[channel]) +
                                                      (added - all.mean) * weight);
            }
        }
    }
}

namespace {

constexpr int64_t kTileSide = 4;
constexpr int64_t kRows = 36;
/// Behind each row, so that their lines fall into different sets of a cache.
constexpr int64_t kPadding = 16;
// Measured on processors with 1 and 2 MiB of second-level cache.
constexpr int64_t kMostShared = int64_t{1} << 20;  ///< numbers: 4 MiB
constexpr int64_t kLeastChunkTiles = 128;
constexpr int64_t kMostPartTiles = 128;
constexpr int64_t kMostBlockChannels = 128;
constexpr int64_t kMostPanels = 2;

int64_t quotient(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/// The size of equal parts of `whole`, each at most `most`.
int64_t evenPart(int64_t whole, int64_t most) {
    return quotient(whole, quotient(whole, most));
}

}  // namespace

int64_t WinogradCut::tilesOf(int64_t chunk) const {
    return std::min(chunkTiles, tiles - chunk * chunkTiles);
}

int64_t WinogradCut::partsOf(int64_t chunk) const {
    return resultParts * quotient(tilesOf(chunk), partTiles);
}

int64_t WinogradCut::sharedNumbers() const {
    // Behind the rows a pixel of zeros, for what lies outside of the images.
    return blocks * (kRows * pixelRow + blockChannels);
}

int64_t WinogradCut::numbersOfThread() const {
    return kRows * (partResults / panelResults) * (kernelRow + productRow);
}

WinogradCut cutWinograd(const Convolution& sizes, int64_t vectorWidth) {
    WinogradCut cut;
    cut.tilesAcross = quotient(sizes.width, kTileSide);
    cut.tilesDown = quotient(sizes.height, kTileSide);
    cut.tiles = sizes.batch * cut.tilesAcross * cut.tilesDown;
    cut.blockChannels = quotient(evenPart(sizes.in, kMostBlockChannels), vectorWidth) * vectorWidth;
    cut.blocks = quotient(sizes.in, cut.blockChannels);
    const int64_t fitting = kMostShared / (kRows * cut.blocks * cut.blockChannels);
    const int64_t most = std::max(fitting, kLeastChunkTiles);
    // Behind whole rows of tiles the result, which takes half of the pixels' memory or less, ends
    // before the first pixel that the next row reads.
    cut.chunkTiles = sizes.isOver ? evenPart(sizes.batch * cut.tilesDown,
                                             std::max<int64_t>(most / cut.tilesAcross, 1)) *
                                        cut.tilesAcross
                                  : evenPart(cut.tiles, most);
    cut.partTiles = evenPart(cut.chunkTiles, kMostPartTiles);
    cut.panelResults = 2 * vectorWidth;
    cut.partResults =
        evenPart(quotient(sizes.out, cut.panelResults), kMostPanels) * cut.panelResults;
    cut.resultParts = quotient(sizes.out, cut.partResults);
    cut.pixelRow = cut.chunkTiles * cut.blockChannels + kPadding;
    cut.kernelRow = cut.blockChannels * cut.panelResults + kPadding;
    cut.productRow = cut.partTiles * cut.panelResults + kPadding;
    return cut;
}

LinearCut cutLinear(const Linear& sizes, const LinearPieces& pieces, int64_t threads) {
    constexpr int64_t kLeastRows = 64;  // of a part: each packs its own weights
    constexpr int64_t kPartsOfThread = 2;
    const auto partsOf = [](int64_t whole, int64_t part) { return (whole + part - 1) / part; };
    const int64_t wanted = kPartsOfThread * threads;
    const int64_t leastRowParts = partsOf(sizes.rows, pieces.mostRows);
    LinearCut cut{.blockColumns = pieces.mostColumns};
    while (cut.blockColumns > pieces.leastColumns &&
           partsOf(sizes.out, cut.blockColumns) * leastRowParts < wanted) {
        cut.blockColumns /= 2;
    }
    const int64_t blocks = partsOf(sizes.out, cut.blockColumns);
    const int64_t rowParts =
        std::max(leastRowParts, std::min(partsOf(wanted, blocks), sizes.rows / kLeastRows));
    const int64_t rows = partsOf(sizes.rows, rowParts);
    cut.partRows = partsOf(rows, pieces.rowsOfPanel) * pieces.rowsOfPanel;
    cut.rowParts = partsOf(sizes.rows, cut.partRows);
    cut.parts = blocks * cut.rowParts;
    return cut;
}

}  // namespace lowtide::tensor::simd
