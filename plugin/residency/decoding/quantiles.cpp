// Blocks of quantiles, two in a byte.
#include "plugin/encodings/normal_floats.hpp"
#include "plugin/residency/decoding/fields.hpp"
#include "plugin/residency/decoding/rows.hpp"
#include "plugin/residency/decoding/ways.hpp"

#include <ATen/ATen.h>

#include <iterator>

namespace lowtide::residency::decoding {

namespace {

/// The two numbers of each byte, as one element of eight bytes: int64 [256]. Filled where it lies:
/// no table crosses to the device, and none stays there.
at::Tensor pairsOfBytes(const at::TensorOptions& options) {
    constexpr auto kNumbers = encodings::normalFloats();
    constexpr int64_t kCount = std::size(kNumbers);
    at::Tensor numbers = at::empty({kCount}, options.dtype(at::kFloat));
    for (int64_t i = 0; i < kCount; ++i) {
        numbers.narrow(0, i, 1).fill_(kNumbers[i]);
    }
    const at::Tensor upper = numbers.unsqueeze(1).expand({kCount, kCount});
    const at::Tensor lower = numbers.unsqueeze(0).expand({kCount, kCount});
    return at::stack({upper, lower}, 2).view(at::kLong).flatten();
}

/// The largest magnitude of each block: f32 [blocks].
at::Tensor largestOfBlocks(const StoredTensors& stored) {
    if (stored.companions.size() == 1) {
        return floatsOfCompanion(stored, 0);
    }
    const at::Tensor bytes = stored.companions[0].to(at::kLong);
    at::Tensor largest = at::gather(floatsOfCompanion(stored, 2), 0, bytes);
    multiplyRows(largest,
                 stored.part.first / stored.tensor->blockElements,
                 encodings::kNestedBlock,
                 floatsOfCompanion(stored, 1));
    return largest.add_(stored.tensor->addedScale);
}

}  // namespace

at::Tensor bnb_nf4(const StoredTensors& stored) {
    const at::Tensor pairs = pairsOfBytes(stored.blocks.options());
    const at::Tensor numbers = at::gather(pairs, 0, stored.blocks.to(at::kLong)).view(at::kFloat);
    const at::Tensor largest = largestOfBlocks(stored);
    return numbers.view({largest.numel(), stored.tensor->blockElements}).mul_(largest.unsqueeze(1));
}

}  // namespace lowtide::residency::decoding
