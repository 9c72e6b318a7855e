#pragma once

#include "plugin/residency/decoding/decode_by_aten.hpp"

namespace lowtide::residency::decoding {

/// Multiplies numbers [n], of which the first is number `first` of a matrix, by the scales of the
/// rows that they touch, or by the one scale that there is. In place.
void multiplyRows(const at::Tensor& numbers,
                  int64_t first,
                  int64_t columns,
                  const at::Tensor& scales);

}  // namespace lowtide::residency::decoding
