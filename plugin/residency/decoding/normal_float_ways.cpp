#include "plugin/encodings/bnb_nf4/normal_floats.hpp"
#include "plugin/residency/decoding/block_bits.hpp"
#include "plugin/residency/decoding/decoding_ways.hpp"

namespace lowtide::residency {

namespace {

constexpr int64_t kLargestTogether = 256;

/// The numbers that fours of bits stand for, on the device.
at::Tensor normalFloatsOn(c10::Device device) {
    return at::tensor(at::ArrayRef<float>(encodings::kNormalFloats), at::kFloat).to(device);
}

at::Tensor numbersOf(const at::Tensor& table, const at::Tensor& bytes) {
    return table.index({bytes.reshape({-1}).to(at::kInt)});
}

/// The largest magnitude of each block, which may be encoded itself.
at::Tensor largestOfBlocks(const StoredTensors& stored) {
    if (stored.companions.size() == 1) {
        return stored.companions[0].view(at::kFloat);
    }
    const int64_t first = stored.part.first / stored.tensor->blockElements;
    const at::Tensor& bytes = stored.companions[0];
    const at::Tensor largest = stored.companions[1]
                                   .view(at::kFloat)
                                   .unsqueeze(1)
                                   .expand({-1, kLargestTogether})
                                   .reshape({-1})
                                   .narrow(0, first % kLargestTogether, bytes.size(0));
    return numbersOf(stored.companions[2].view(at::kFloat), bytes)
        .mul_(largest)
        .add_(stored.tensor->addedScale);
}

at::Tensor nf4Numbers(const StoredTensors& stored) {
    const at::Tensor fours = at::stack({upperFour(stored.blocks), lowerFour(stored.blocks)}, 1);
    return numbersOf(normalFloatsOn(stored.blocks.device()), fours)
        .view({-1, stored.tensor->blockElements})
        .mul_(largestOfBlocks(stored).unsqueeze(1));
}

}  // namespace

/// As plugin/encodings/bnb_nf4.
void addNormalFloatWays(DecodingWays& ways) {
    ways.insert({{"bnb_nf4", nf4Numbers}});
}

}  // namespace lowtide::residency
