#pragma once
// A way of decoding for each encoding, called like it: the part's numbers, f32, contiguous. What it
// takes for a moment, beside them: at most so many bytes an element (from the operators that it is
// made of), and 8 times its companions' bytes and 4 KiB, for scales as numbers and small tables.

#include "plugin/residency/decoding/decode_by_aten.hpp"

namespace lowtide::residency::decoding {

/// At most 1 byte an element: its code.
[[nodiscard]] at::Tensor q4_0(const StoredTensors& stored);
[[nodiscard]] at::Tensor q4_1(const StoredTensors& stored);
[[nodiscard]] at::Tensor q5_0(const StoredTensors& stored);
[[nodiscard]] at::Tensor q5_1(const StoredTensors& stored);
[[nodiscard]] at::Tensor q8_0(const StoredTensors& stored);

/// 1 byte an element: its code.
[[nodiscard]] at::Tensor q2_k(const StoredTensors& stored);
[[nodiscard]] at::Tensor q3_k(const StoredTensors& stored);
[[nodiscard]] at::Tensor q4_k(const StoredTensors& stored);
[[nodiscard]] at::Tensor q5_k(const StoredTensors& stored);
[[nodiscard]] at::Tensor q6_k(const StoredTensors& stored);

/// Nothing for an element.
[[nodiscard]] at::Tensor f8_e4m3(const StoredTensors& stored);
[[nodiscard]] at::Tensor f8_e5m2(const StoredTensors& stored);
[[nodiscard]] at::Tensor int8(const StoredTensors& stored);
[[nodiscard]] at::Tensor bnb_int8(const StoredTensors& stored);
[[nodiscard]] at::Tensor mxfp8(const StoredTensors& stored);

/// 5 bytes an element: what is rotated, and the sums of four each.
[[nodiscard]] at::Tensor int8_convrot(const StoredTensors& stored);

/// 1 byte an element: its code.
[[nodiscard]] at::Tensor nvfp4(const StoredTensors& stored);

/// 4 bytes an element: an index for two of them.
[[nodiscard]] at::Tensor bnb_nf4(const StoredTensors& stored);

}  // namespace lowtide::residency::decoding
