// Blocks of 256 numbers in runs with scales of their own. Where a field lies: plugin/encodings/q2_k
// and its like.
#include "plugin/residency/decoding/fields.hpp"
#include "plugin/residency/decoding/ways.hpp"

#include <ATen/ATen.h>

#include <utility>

namespace lowtide::residency::decoding {

namespace {

/// The fields of `width` bits of `count` bytes, which fill chunks of `chunk` bytes plane by plane:
/// uint8 [blocks, 8 / width * count].
at::Tensor chunkedBits(
    const StoredTensors& stored, int64_t place, int64_t count, int64_t chunk, int64_t width) {
    const at::Tensor bytes = bytesOfBlocks(stored, place, count);
    return planesOf(bytes.unflatten(1, {count / chunk, chunk}), width).flatten(1);
}

/// Numbers [blocks, 256] in runs by their scales [blocks, runs].
at::Tensor byRuns(const at::Tensor& numbers, const at::Tensor& scales) {
    const int64_t runs = scales.size(1);
    return numbers.view({numbers.size(0), runs, numbers.size(1) / runs}).mul_(scales.unsqueeze(2));
}

/// The same, less their minima.
at::Tensor byRunsLess(const at::Tensor& numbers,
                      const at::Tensor& scales,
                      const at::Tensor& least) {
    return byRuns(numbers, scales).sub_(least.unsqueeze(2));
}

/// Of Q4_K and Q5_K, whose eight runs have a scale and a minimum of six bits: four bytes hold those
/// of the first four scales, four those of the minima, four the lower bits of all others, whose
/// upper ones are above the first.
at::Tensor bySixBits(const StoredTensors& stored, const at::Tensor& numbers) {
    const at::Tensor fours = bytesOfBlocks(stored, 4, 12).unflatten(1, {3, 4});
    const auto sixBits = [&](int64_t four, int64_t shift) {
        const at::Tensor bytes = fours.select(1, four);
        const at::Tensor others =
            bitsOf(fours.select(1, 2), shift, 4).add_(bitsOf(bytes, 6, 2), 16);
        return numbersOf(at::cat({bitsOf(bytes, 0, 6), others}, 1));
    };
    return byRunsLess(numbers,
                      sixBits(0, 0).mul_(halvesOfBlocks(stored, 0)),
                      sixBits(1, 4).mul_(halvesOfBlocks(stored, 2)));
}

}  // namespace

at::Tensor q2_k(const StoredTensors& stored) {
    const at::Tensor numbers = numbersOf(chunkedBits(stored, 16, 64, 32, 2));
    const at::Tensor parts = bytesOfBlocks(stored, 0, 16);
    return byRunsLess(numbers,
                      numbersOf(bitsOf(parts, 0, 4)).mul_(halvesOfBlocks(stored, 80)),
                      numbersOf(bitsOf(parts, 4, 4)).mul_(halvesOfBlocks(stored, 82)));
}

at::Tensor q3_k(const StoredTensors& stored) {
    at::Tensor codes = chunkedBits(stored, 32, 64, 32, 2);
    codes.add_(chunkedBits(stored, 0, 32, 32, 1), 4);
    const at::Tensor numbers = numbersOf(std::move(codes)).sub_(4);
    at::Tensor parts = chunkedBits(stored, 96, 8, 8, 4);
    parts.add_(chunkedBits(stored, 104, 4, 4, 2), 16);
    return byRuns(numbers, numbersOf(parts).sub_(32).mul_(halvesOfBlocks(stored, 108)));
}

at::Tensor q4_k(const StoredTensors& stored) {
    return bySixBits(stored, numbersOf(chunkedBits(stored, 16, 128, 32, 4)));
}

at::Tensor q5_k(const StoredTensors& stored) {
    at::Tensor codes = chunkedBits(stored, 48, 128, 32, 4);
    codes.add_(chunkedBits(stored, 16, 32, 32, 1), 16);
    return bySixBits(stored, numbersOf(std::move(codes)));
}

at::Tensor q6_k(const StoredTensors& stored) {
    at::Tensor codes = chunkedBits(stored, 0, 128, 64, 4);
    codes.add_(chunkedBits(stored, 128, 64, 32, 2), 16);
    const at::Tensor parts = bytesOfBlocks(stored, 192, 16).view(at::kChar);
    const at::Tensor numbers = numbersOf(std::move(codes)).sub_(32);
    return byRuns(numbers, numbersOf(parts).mul_(halvesOfBlocks(stored, 208)));
}

}  // namespace lowtide::residency::decoding
