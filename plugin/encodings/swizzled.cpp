#include "plugin/encodings/swizzled.hpp"

namespace lowtide::encodings {

ByteRange Swizzled::rangeOf(int64_t firstBlock, int64_t count) const noexcept {
    const int64_t firstTile = firstBlock / blocksInRow_ / kTileRows;
    const int64_t lastTile = (firstBlock + count - 1) / blocksInRow_ / kTileRows;
    const Bytes bytes = tilesInRow_ * kTileBytes;
    return {firstTile * bytes, (lastTile + 1 - firstTile) * bytes};
}

ByteRange swizzledRange(const memory::Encoded& tensor, size_t companion, Part part) {
    const memory::Companion& whole = tensor.companions[companion];
    return companion == 0 ? Swizzled(tensor).rangeOf(part.first / tensor.blockElements,
                                                     part.count / tensor.blockElements)
                          : ByteRange{0, whole.bytes()};
}

}  // namespace lowtide::encodings
