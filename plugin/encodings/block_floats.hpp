#pragma once
// Blocks of floats of few bits with a scale of each block next to them.

#include "plugin/encodings/anywhere.hpp"
#include "plugin/encodings/encodings.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace lowtide::encodings {

// Scales of blocks as tensor cores read them: tiles of 128 rows by 4 blocks (cuBLAS, "1D block
// scaling factors layout"), a byte each.

/// Where the scale of one block lies among a matrix's scales.
class Swizzled {
public:
    static constexpr int64_t kTileRows = 128;
    static constexpr int64_t kTileBlocks = 4;

    explicit Swizzled(const memory::Encoded& tensor)
        : Swizzled(tensor.columns / tensor.blockElements) {}

    LOWTIDE_ANYWHERE explicit Swizzled(int64_t blocksInRow) noexcept
        : blocksInRow_(blocksInRow), tilesInRow_((blocksInRow + kTileBlocks - 1) / kTileBlocks) {}

    [[nodiscard]] int64_t blocksInRow() const noexcept { return blocksInRow_; }

    [[nodiscard]] int64_t tilesInRow() const noexcept { return tilesInRow_; }

    /// Of the block-th block of the matrix, row-major.
    [[nodiscard]] LOWTIDE_ANYWHERE Bytes positionOf(int64_t block) const noexcept {
        const int64_t row = block / blocksInRow_;
        const int64_t column = block % blocksInRow_;
        const int64_t tile = row / kTileRows * tilesInRow_ + column / kTileBlocks;
        const int64_t inTile = row % kTileRows;
        return tile * kTileBytes + inTile % 32 * 16 + inTile / 32 * kTileBlocks +
               column % kTileBlocks;
    }

    /// So many blocks from this one on have their scales side by side.
    [[nodiscard]] int64_t neighbours(int64_t block) const noexcept {
        const int64_t column = block % blocksInRow_;
        return std::min(kTileBlocks - column % kTileBlocks, blocksInRow_ - column);
    }

    /// The rows of tiles that hold the scales of these blocks.
    [[nodiscard]] ByteRange rangeOf(int64_t firstBlock, int64_t count) const noexcept;

    /// Bytes of the scales of `rows` rows.
    [[nodiscard]] Bytes bytesOf(int64_t rows) const noexcept {
        return (rows + kTileRows - 1) / kTileRows * tilesInRow_ * kTileBytes;
    }

private:
    static constexpr Bytes kTileBytes = kTileRows * kTileBlocks;

    int64_t blocksInRow_;
    int64_t tilesInRow_;
};

/// Of companion 0, the scales; of the others everything.
[[nodiscard]] ByteRange swizzledRange(const memory::Encoded& tensor, size_t companion, Part part);

/// Calls work(block, byte) for each block of the part, counted from its first, and its scale.
template <typename Work>
void forEachScale(const StoredPart& stored, const Work& work) {
    const memory::Encoded& tensor = *stored.tensor;
    const Swizzled positions(tensor);
    const int64_t first = stored.part.first / tensor.blockElements;
    const int64_t end = first + stored.part.count / tensor.blockElements;
    const Bytes begin = swizzledRange(tensor, 0, stored.part).begin;
    // Four neighbours of a row lie side by side.
    for (int64_t block = first; block < end;) {
        const std::byte* scales =
            stored.companions[0].data() + (positions.positionOf(block) - begin);
        const int64_t count = std::min(positions.neighbours(block), end - block);
        for (int64_t i = 0; i < count; ++i) {
            work(block - first + i, std::to_integer<uint8_t>(scales[i]));
        }
        block += count;
    }
}

/// The scale of each block of the part as a number.
template <typename Number>
std::vector<float> blockScales(const StoredPart& stored, const Number& numberOf) {
    std::vector<float> scales(
        static_cast<size_t>(stored.part.count / stored.tensor->blockElements));
    forEachScale(stored, [&](int64_t block, uint8_t scale) {
        scales[static_cast<size_t>(block)] = numberOf(scale);
    });
    return scales;
}

/// Quantiles of a normal distribution (QLoRA, arXiv 2305.14314, appendix E), as bitsandbytes has
/// them.
LOWTIDE_ANYWHERE constexpr std::array<float, 16> normalFloats() noexcept {
    return {-1.0F,
            -0.6961928009986877F,
            -0.5250730514526367F,
            -0.39491748809814453F,
            -0.28444138169288635F,
            -0.18477343022823334F,
            -0.09105003625154495F,
            0.0F,
            0.07958029955625534F,
            0.16093020141124725F,
            0.24611230194568634F,
            0.33791524171829224F,
            0.44070982933044434F,
            0.5626170039176941F,
            0.7229568362236023F,
            1.0F};
}

/// So many largest magnitudes of blocks have a largest one of their own.
inline constexpr int64_t kNestedBlock = 256;

}  // namespace lowtide::encodings
