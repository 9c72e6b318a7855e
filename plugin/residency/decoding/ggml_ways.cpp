#include "plugin/residency/decoding/block_bits.hpp"
#include "plugin/residency/decoding/decoding_ways.hpp"

namespace lowtide::residency {

namespace {

constexpr int64_t kElementsInBlock = 32;

/// First halves, then second halves: [blocks, 32].
at::Tensor fourBits(const at::Tensor& blocks, int64_t size, int64_t place) {
    const at::Tensor bytes = bytesOfBlocks(blocks, size, place, kElementsInBlock / 2);
    return at::cat({lowerFour(bytes), upperFour(bytes)}, 1);
}

/// With the fifth bits, which lie in four bytes at `fifth`.
at::Tensor fiveBits(const at::Tensor& blocks, int64_t size, int64_t fifth) {
    constexpr int64_t kFifthBytes = 4;
    const at::Tensor bits = spreadBits(
        bytesOfBlocks(blocks, size, fifth, kFifthBytes).unsqueeze(-1), 8, 1);  // [blocks, 4, 8, 1]
    return joinBits(
        fourBits(blocks, size, fifth + kFifthBytes), bits.reshape({-1, kElementsInBlock}), 4);
}

at::Tensor scaledWhole(const at::Tensor& numbers, int base, const at::Tensor& scale) {
    return numbers.to(at::kFloat).sub_(base).mul_(scale);
}

at::Tensor scaledAbove(const at::Tensor& numbers,
                       const at::Tensor& scale,
                       const at::Tensor& least) {
    return numbers.to(at::kFloat).mul_(scale).add_(least);
}

at::Tensor q40(const StoredTensors& stored) {
    constexpr int64_t kBytes = 18;
    return scaledWhole(
        fourBits(stored.blocks, kBytes, 2), 8, halvesOfBlocks(stored.blocks, kBytes, 0));
}

at::Tensor q41(const StoredTensors& stored) {
    constexpr int64_t kBytes = 20;
    return scaledAbove(fourBits(stored.blocks, kBytes, 4),
                       halvesOfBlocks(stored.blocks, kBytes, 0),
                       halvesOfBlocks(stored.blocks, kBytes, 2));
}

at::Tensor q50(const StoredTensors& stored) {
    constexpr int64_t kBytes = 22;
    return scaledWhole(
        fiveBits(stored.blocks, kBytes, 2), 16, halvesOfBlocks(stored.blocks, kBytes, 0));
}

at::Tensor q51(const StoredTensors& stored) {
    constexpr int64_t kBytes = 24;
    return scaledAbove(fiveBits(stored.blocks, kBytes, 4),
                       halvesOfBlocks(stored.blocks, kBytes, 0),
                       halvesOfBlocks(stored.blocks, kBytes, 2));
}

at::Tensor q80(const StoredTensors& stored) {
    constexpr int64_t kBytes = 34;
    const at::Tensor numbers = bytesOfBlocks(stored.blocks, kBytes, 2, kElementsInBlock);
    return numbers.view(at::kChar).to(at::kFloat).mul_(halvesOfBlocks(stored.blocks, kBytes, 0));
}

}  // namespace

/// As plugin/encodings/q4_0 to q8_0.
void addGgmlWays(DecodingWays& ways) {
    ways.insert({{"q4_0", q40}, {"q4_1", q41}, {"q5_0", q50}, {"q5_1", q51}, {"q8_0", q80}});
}

}  // namespace lowtide::residency
