// Blocks whose scales lie in tensor cores' tiles.
#include "plugin/encodings/swizzled.hpp"
#include "plugin/residency/decoding/fields.hpp"
#include "plugin/residency/decoding/ways.hpp"

#include <ATen/ATen.h>

namespace lowtide::residency::decoding {

namespace {

using encodings::Swizzled;

/// The scale of each block of the part: uint8 [blocks].
at::Tensor tiledScales(const StoredTensors& stored) {
    constexpr int64_t kApart = 32;  // of neighbours in a tile: rows 0, 32, 64, 96, then 1, 33 ...
    const memory::Encoded& tensor = *stored.tensor;
    const Swizzled places(tensor);
    const int64_t across = places.blocksInRow();
    const int64_t first = stored.part.first / tensor.blockElements;
    const at::Tensor tiles = stored.companions[0].view(
        {-1, places.tilesInRow(), kApart, Swizzled::kTileRows / kApart, Swizzled::kTileBlocks});
    const at::Tensor rows = tiles.permute({0, 3, 2, 1, 4}).flatten(0, 2).flatten(1);
    const int64_t firstRow = first / across / Swizzled::kTileRows * Swizzled::kTileRows;
    return rows.narrow(1, 0, across)
        .flatten()
        .narrow(0, first - firstRow * across, stored.part.count / tensor.blockElements);
}

/// Each block by its scale.
at::Tensor scaledBlocks(const StoredTensors& stored,
                        const at::Tensor& numbers,
                        const at::Tensor& scales) {
    return numbers.view({scales.numel(), stored.tensor->blockElements}).mul_(scales.unsqueeze(1));
}

/// Numbers of four bits, s e e m. As s 0 0 0 e e m 0 they are those of e5m2, 2^-14 times as large.
at::Tensor fourBitFloats(at::Tensor codes) {
    codes.mul_(2);
    codes.add_(at::bitwise_and(codes, 16), 7);  // 16 is the sign, 128 where it belongs
    return numbersOf(codes.view(at::kFloat8_e5m2)).mul_(0x1p14);
}

}  // namespace

at::Tensor mxfp8(const StoredTensors& stored) {
    const at::Tensor numbers = numbersOf(stored.blocks.view(at::kFloat8_e4m3fn));
    const at::Tensor powers = tiledScales(stored).to(at::kInt).bitwise_left_shift_(23);
    return scaledBlocks(stored, numbers, powers.view(at::kFloat));
}

at::Tensor nvfp4(const StoredTensors& stored) {
    const at::Tensor numbers = fourBitFloats(halvesOfBytes(stored.blocks));
    at::Tensor scales = numbersOf(tiledScales(stored).view(at::kFloat8_e4m3fn));
    return scaledBlocks(stored, numbers, scales.mul_(floatsOfCompanion(stored, 1)));
}

}  // namespace lowtide::residency::decoding
