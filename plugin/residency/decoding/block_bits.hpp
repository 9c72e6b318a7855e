#pragma once
// Numbers of few bits out of tensors of bytes.

#include <ATen/ATen.h>

#include <cstdint>

namespace lowtide::residency {

/// [blocks, n] of [blocks * size]: bytes [first, first + n) of each block.
[[nodiscard]] inline at::Tensor bytesOfBlocks(const at::Tensor& blocks,
                                              int64_t size,
                                              int64_t first,
                                              int64_t count) {
    return blocks.view({-1, size}).narrow(1, first, count);
}

/// The half at `place` of each block, in f32: [blocks, 1].
[[nodiscard]] inline at::Tensor halvesOfBlocks(const at::Tensor& blocks,
                                               int64_t size,
                                               int64_t place) {
    return bytesOfBlocks(blocks, size, place, 2).contiguous().view(at::kHalf).to(at::kFloat);
}

[[nodiscard]] inline at::Tensor lowerFour(const at::Tensor& bytes) {
    return bytes.bitwise_and(0xF);
}

[[nodiscard]] inline at::Tensor upperFour(const at::Tensor& bytes) {
    return at::bitwise_right_shift(bytes, 4);
}

/// [..., count, n] of bytes [..., n]: at i of `count` the bits [i * width, i * width + width).
[[nodiscard]] inline at::Tensor spreadBits(const at::Tensor& bytes, int64_t count, int64_t width) {
    const at::Tensor shifts = at::arange(0, count * width, width, bytes.options()).view({count, 1});
    return at::bitwise_right_shift(bytes.unsqueeze(-2), shifts).bitwise_and_((1 << width) - 1);
}

/// numbers | bits << place.
[[nodiscard]] inline at::Tensor joinBits(at::Tensor numbers, const at::Tensor& bits, int place) {
    return numbers.bitwise_or_(at::bitwise_left_shift(bits, place));
}

}  // namespace lowtide::residency
