// Blocks of 32 numbers. Where a field lies: plugin/encodings/q4_0 and its like.
#include "plugin/residency/decoding/fields.hpp"
#include "plugin/residency/decoding/ways.hpp"

#include <ATen/ATen.h>

#include <utility>

namespace lowtide::residency::decoding {

namespace {

/// Codes of four bits in 16 bytes, first halves, then second halves: uint8 [blocks, 32].
at::Tensor fourBits(const StoredTensors& stored, int64_t place) {
    return planesOf(bytesOfBlocks(stored, place, 16), 4).flatten(1);
}

/// Those with their fifth bits, which lie in the four bytes before.
at::Tensor fiveBits(const StoredTensors& stored, int64_t place) {
    const at::Tensor fifth = planesOf(bytesOfBlocks(stored, place, 4).unsqueeze(2), 1);
    return fourBits(stored, place + 4).add_(fifth.flatten(1), 16);
}

/// Each block by the half that it begins with.
at::Tensor byScale(const StoredTensors& stored, at::Tensor numbers) {
    return numbers.mul_(halvesOfBlocks(stored, 0));
}

/// The same, and the half after it is added.
at::Tensor byScaleAndLeast(const StoredTensors& stored, at::Tensor numbers) {
    return byScale(stored, std::move(numbers)).add_(halvesOfBlocks(stored, 2));
}

}  // namespace

at::Tensor q4_0(const StoredTensors& stored) {
    return byScale(stored, numbersOf(fourBits(stored, 2)).sub_(8));
}

at::Tensor q4_1(const StoredTensors& stored) {
    return byScaleAndLeast(stored, numbersOf(fourBits(stored, 4)));
}

at::Tensor q5_0(const StoredTensors& stored) {
    return byScale(stored, numbersOf(fiveBits(stored, 2)).sub_(16));
}

at::Tensor q5_1(const StoredTensors& stored) {
    return byScaleAndLeast(stored, numbersOf(fiveBits(stored, 4)));
}

at::Tensor q8_0(const StoredTensors& stored) {
    return byScale(stored, numbersOf(bytesOfBlocks(stored, 2, 32).view(at::kChar)));
}

}  // namespace lowtide::residency::decoding
