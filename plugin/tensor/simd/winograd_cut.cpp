#include "plugin/tensor/simd/winograd.hpp"

#include <algorithm>

namespace lowtide::tensor::simd {

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
    // Behind the rows a pixel of zeros, for what lies outside of the pictures.
    return blocks * (kRows * pixelRow + blockChannels);
}

int64_t WinogradCut::numbersOfThread() const {
    return kRows * (partResults / panelResults) * (kernelRow + productRow);
}

WinogradCut cutWinograd(const Convolution& sizes, int64_t lanes) {
    WinogradCut cut;
    cut.tilesAcross = quotient(sizes.width, kTileSide);
    cut.tilesDown = quotient(sizes.height, kTileSide);
    cut.tiles = sizes.batch * cut.tilesAcross * cut.tilesDown;
    cut.blockChannels = quotient(evenPart(sizes.in, kMostBlockChannels), lanes) * lanes;
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
    cut.panelResults = 2 * lanes;
    cut.partResults =
        evenPart(quotient(sizes.out, cut.panelResults), kMostPanels) * cut.panelResults;
    cut.resultParts = quotient(sizes.out, cut.partResults);
    cut.pixelRow = cut.chunkTiles * cut.blockChannels + kPadding;
    cut.kernelRow = cut.blockChannels * cut.panelResults + kPadding;
    cut.productRow = cut.partTiles * cut.panelResults + kPadding;
    return cut;
}

}  // namespace lowtide::tensor::simd
