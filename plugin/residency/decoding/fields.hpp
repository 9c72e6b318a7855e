#pragma once
// Fields of stored bytes as tensors. Whole numbers are taken apart in bytes; each f32 operation is
// an operator of its own, so that no device joins a multiplication and an addition.

#include "plugin/base/dtype.hpp"
#include "plugin/residency/decoding/decode_by_aten.hpp"

namespace lowtide::residency::decoding {

/// Bytes [first, first + count) of each block: uint8 [blocks, count], a view.
[[nodiscard]] at::Tensor bytesOfBlocks(const StoredTensors& stored, int64_t first, int64_t count);

/// Whole numbers or small floats as f32. Of a caller that moves, `codes` does not outlive it.
[[nodiscard]] at::Tensor numbersOf(at::Tensor codes);

/// The numbers that lie in bytes [..., n] of any alignment: f32 [..., n / sizeOf(type)].
[[nodiscard]] at::Tensor floatsIn(const at::Tensor& bytes, DType type);

/// The half at byte `place` of each block: f32 [blocks, 1].
[[nodiscard]] at::Tensor halvesOfBlocks(const StoredTensors& stored, int64_t place);

/// All numbers of a companion.
[[nodiscard]] at::Tensor floatsOfCompanion(const StoredTensors& stored, size_t companion);

/// Bits [shift, shift + width) of each byte: uint8.
[[nodiscard]] at::Tensor bitsOf(const at::Tensor& bytes, int64_t shift, int64_t width);

/// [..., n] -> uint8 [..., 8 / width, n]: the lowest `width` bits of each byte, then the next ones.
[[nodiscard]] at::Tensor planesOf(const at::Tensor& bytes, int64_t width);

/// Bytes [n] -> uint8 [n, 2]: of each the upper half, then the lower one.
[[nodiscard]] at::Tensor halvesOfBytes(const at::Tensor& bytes);

}  // namespace lowtide::residency::decoding
