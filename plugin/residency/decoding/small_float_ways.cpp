#include "plugin/residency/decoding/block_bits.hpp"
#include "plugin/residency/decoding/decoding_ways.hpp"

namespace lowtide::residency {

namespace {

constexpr int64_t kTileRows = 128;
constexpr int64_t kTileBlocks = 4;

/// A byte for each block of the part, out of tiles of 128 rows by 4 blocks: a row lies at row % 32
/// * 16 + row / 32 * 4 of its tile (plugin/encodings/swizzled).
at::Tensor bytesOfTiles(const StoredTensors& stored) {
    const memory::Encoded& tensor = *stored.tensor;
    const int64_t blocksInRow = tensor.columns / tensor.blockElements;
    const int64_t tilesInRow = (blocksInRow + kTileBlocks - 1) / kTileBlocks;
    const int64_t first = stored.part.first / tensor.blockElements;
    const int64_t tileRow = first / blocksInRow / kTileRows;
    return stored.companions[0]
        .view({-1, tilesInRow, 32, kTileRows / 32, kTileBlocks})
        .permute({0, 3, 2, 1, 4})
        .reshape({-1, tilesInRow * kTileBlocks})
        .narrow(1, 0, blocksInRow)
        .reshape({-1})
        .narrow(
            0, first - tileRow * kTileRows * blocksInRow, stored.part.count / tensor.blockElements);
}

at::Tensor asE4m3(const at::Tensor& bytes) {
    return bytes.view(at::kFloat8_e4m3fn).to(at::kFloat);
}

at::Tensor mxfp8Numbers(const StoredTensors& stored) {
    const at::Tensor exponents = bytesOfTiles(stored).to(at::kInt);
    const at::Tensor scales = at::bitwise_left_shift(exponents, 23).view(at::kFloat);
    return asE4m3(stored.blocks).view({scales.size(0), -1}).mul_(scales.unsqueeze(1));
}

/// e2m1 of the low four bits of each whole number: their exponent is that of a half, 14 lower.
at::Tensor asE2m1(const at::Tensor& fours) {
    constexpr double kRaised = 16384;
    at::Tensor bits = at::bitwise_left_shift(fours.bitwise_and(7), 9);
    return joinBits(std::move(bits), fours.bitwise_and(8), 12)
        .view(at::kHalf)
        .to(at::kFloat)
        .mul_(kRaised);
}

at::Tensor nvfp4Numbers(const StoredTensors& stored) {
    const at::Tensor whole = stored.companions[1].view(at::kFloat);
    const at::Tensor scales = asE4m3(bytesOfTiles(stored)).mul_(whole);
    const at::Tensor fours =
        at::stack({upperFour(stored.blocks), lowerFour(stored.blocks)}, 1).to(at::kShort);
    return asE2m1(fours).view({scales.size(0), -1}).mul_(scales.unsqueeze(1));
}

}  // namespace

/// As plugin/encodings/mxfp8 and nvfp4.
void addSmallFloatWays(DecodingWays& ways) {
    ways.insert({{"mxfp8", mxfp8Numbers}, {"nvfp4", nvfp4Numbers}});
}

}  // namespace lowtide::residency
