#include "plugin/residency/decoding/block_bits.hpp"
#include "plugin/residency/decoding/decoding_ways.hpp"

#include <utility>

namespace lowtide::residency {

namespace {

constexpr int64_t kRunsOf16 = 16;
constexpr int64_t kRunsOf32 = 8;

/// Numbers of two bits: [blocks, 8, 32].
at::Tensor twoBits(const at::Tensor& blocks, int64_t size, int64_t place) {
    const at::Tensor bytes = bytesOfBlocks(blocks, size, place, 64).reshape({-1, 2, 32});
    return spreadBits(bytes, 4, 2).view({-1, kRunsOf32, 32});
}

/// Numbers of four bits, lower halves of 32 bytes before their upper halves: [blocks, 8, 32].
at::Tensor fourBitRuns(const at::Tensor& blocks, int64_t size, int64_t place) {
    const at::Tensor bytes = bytesOfBlocks(blocks, size, place, 128).reshape({-1, 4, 32});
    return spreadBits(bytes, 2, 4).view({-1, kRunsOf32, 32});
}

/// One more bit for each number, of 32 bytes: [blocks, 8, 32].
at::Tensor oneBit(const at::Tensor& blocks, int64_t size, int64_t place) {
    return spreadBits(bytesOfBlocks(blocks, size, place, 32), kRunsOf32, 1);
}

/// (numbers - base) * scale for each 16 numbers; `parts` [blocks, 16] in f32.
at::Tensor scaledRuns(const at::Tensor& numbers,
                      int base,
                      const at::Tensor& scale,
                      const at::Tensor& parts) {
    return numbers.to(at::kFloat)
        .view({-1, kRunsOf16, 16})
        .sub_(base)
        .mul_((parts * scale).unsqueeze(-1));
}

/// numbers * (scale * part) - least * least part, for each run.
at::Tensor scaledRunsAbove(const at::Tensor& numbers,
                           const at::Tensor& scales,
                           const at::Tensor& leasts) {
    return numbers.to(at::kFloat)
        .view({numbers.size(0), scales.size(1), -1})
        .mul_(scales.unsqueeze(-1))
        .add_(leasts.neg().unsqueeze(-1));
}

at::Tensor q2k(const StoredTensors& stored) {
    constexpr int64_t kBytes = 84;
    const at::Tensor& blocks = stored.blocks;
    const at::Tensor parts = bytesOfBlocks(blocks, kBytes, 0, kRunsOf16);
    return scaledRunsAbove(
        twoBits(blocks, kBytes, 16),
        lowerFour(parts).to(at::kFloat).mul_(halvesOfBlocks(blocks, kBytes, 80)),
        upperFour(parts).to(at::kFloat).mul_(halvesOfBlocks(blocks, kBytes, 82)));
}

at::Tensor q3k(const StoredTensors& stored) {
    constexpr int64_t kBytes = 110;
    const at::Tensor& blocks = stored.blocks;
    const at::Tensor numbers = joinBits(twoBits(blocks, kBytes, 32), oneBit(blocks, kBytes, 0), 2);
    const at::Tensor lower = bytesOfBlocks(blocks, kBytes, 96, 8);
    const at::Tensor upper = spreadBits(bytesOfBlocks(blocks, kBytes, 104, 4), 4, 2);
    const at::Tensor parts =
        joinBits(at::cat({lowerFour(lower), upperFour(lower)}, 1), upper.view({-1, kRunsOf16}), 4);
    return scaledRuns(
        numbers, 4, halvesOfBlocks(blocks, kBytes, 108), parts.to(at::kFloat).sub_(32));
}

/// Scales and minima of Q4_K and Q5_K, six bits each in twelve bytes from the fourth on: two of
/// [blocks, 8], times those of the block.
std::pair<at::Tensor, at::Tensor> sixBitParts(const at::Tensor& blocks, int64_t size) {
    const at::Tensor scales = bytesOfBlocks(blocks, size, 4, 4);
    const at::Tensor leasts = bytesOfBlocks(blocks, size, 8, 4);
    const at::Tensor rest = bytesOfBlocks(blocks, size, 12, 4);
    const auto whole = [&](const at::Tensor& own, at::Tensor lower, int64_t place) {
        const at::Tensor last = joinBits(std::move(lower), at::bitwise_right_shift(own, 6), 4);
        return at::cat({own.bitwise_and(63), last}, 1)
            .to(at::kFloat)
            .mul_(halvesOfBlocks(blocks, size, place));
    };
    return {whole(scales, lowerFour(rest), 0), whole(leasts, upperFour(rest), 2)};
}

at::Tensor q4k(const StoredTensors& stored) {
    constexpr int64_t kBytes = 144;
    const auto [scales, leasts] = sixBitParts(stored.blocks, kBytes);
    return scaledRunsAbove(fourBitRuns(stored.blocks, kBytes, 16), scales, leasts);
}

at::Tensor q5k(const StoredTensors& stored) {
    constexpr int64_t kBytes = 176;
    const auto [scales, leasts] = sixBitParts(stored.blocks, kBytes);
    const at::Tensor numbers =
        joinBits(fourBitRuns(stored.blocks, kBytes, 48), oneBit(stored.blocks, kBytes, 16), 4);
    return scaledRunsAbove(numbers, scales, leasts);
}

at::Tensor q6k(const StoredTensors& stored) {
    constexpr int64_t kBytes = 210;
    const at::Tensor& blocks = stored.blocks;
    const at::Tensor lower =
        spreadBits(bytesOfBlocks(blocks, kBytes, 0, 128).reshape({-1, 2, 64}), 2, 4);
    const at::Tensor upper =
        spreadBits(bytesOfBlocks(blocks, kBytes, 128, 64).reshape({-1, 2, 32}), 4, 2);
    const at::Tensor parts = bytesOfBlocks(blocks, kBytes, 192, kRunsOf16);
    return scaledRuns(joinBits(lower.view({-1, 2, 4, 32}), upper, 4),
                      32,
                      halvesOfBlocks(blocks, kBytes, 208),
                      parts.view(at::kChar).to(at::kFloat));
}

}  // namespace

/// As plugin/encodings/q2_k to q6_k.
void addKQuantWays(DecodingWays& ways) {
    ways.insert({{"q2_k", q2k}, {"q3_k", q3k}, {"q4_k", q4k}, {"q5_k", q5k}, {"q6_k", q6k}});
}

}  // namespace lowtide::residency
