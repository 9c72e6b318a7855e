#include "plugin/residency/decoding/fields.hpp"

#include "plugin/residency/scalar_type.hpp"

#include <ATen/ATen.h>

namespace lowtide::residency::decoding {

at::Tensor bytesOfBlocks(const StoredTensors& stored, int64_t first, int64_t count) {
    const Bytes size = stored.tensor->blockBytes;
    return stored.blocks.view({stored.blocks.numel() / size, size}).narrow(1, first, count);
}

at::Tensor numbersOf(at::Tensor codes) {
    at::Tensor numbers = codes.to(at::kFloat);
    codes.reset();
    return numbers;
}

at::Tensor floatsIn(const at::Tensor& bytes, DType type) {
    // A copy begins where numbers may begin, and takes as much wherever the bytes lie.
    return bytes.clone(at::MemoryFormat::Contiguous).view(scalarTypeOf(type)).to(at::kFloat);
}

at::Tensor halvesOfBlocks(const StoredTensors& stored, int64_t place) {
    return floatsIn(bytesOfBlocks(stored, place, sizeOf(DType::F16)), DType::F16);
}

at::Tensor floatsOfCompanion(const StoredTensors& stored, size_t companion) {
    return floatsIn(stored.companions[companion], stored.tensor->companions[companion].type);
}

at::Tensor bitsOf(const at::Tensor& bytes, int64_t shift, int64_t width) {
    return at::bitwise_right_shift(bytes, shift).bitwise_and_((1 << width) - 1);
}

at::Tensor planesOf(const at::Tensor& bytes, int64_t width) {
    constexpr int64_t kByteBits = 8;
    const at::Tensor shifts = at::arange(0, kByteBits, width, bytes.options()).unsqueeze(1);
    return at::bitwise_right_shift(bytes.unsqueeze(-2), shifts).bitwise_and_((1 << width) - 1);
}

at::Tensor halvesOfBytes(const at::Tensor& bytes) {
    return at::stack({bitsOf(bytes, 4, 4), bitsOf(bytes, 0, 4)}, 1);
}

}  // namespace lowtide::residency::decoding
