#pragma once
// Scales beside a tensor: one for all of it, or one for each row.

#include "plugin/residency/decoding/decode_by_aten.hpp"

namespace lowtide::residency {

/// Companion `index` in f32: [1], or [rows that the part touches]; it may be the stored bytes.
[[nodiscard]] at::Tensor scalesBeside(const StoredTensors& stored, size_t index);

/// values[i] *= the scale of its row, in place; `values`: f32, the part's elements.
void scaleRows(const StoredTensors& stored, const at::Tensor& values, const at::Tensor& scales);

}  // namespace lowtide::residency
