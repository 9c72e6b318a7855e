#pragma once

#include "tests/unit/encodings/stored_tensor.hpp"

namespace lowtide::testing {

/// The case with all that its encoding can hold: subnormal and negative scales, the largest codes,
/// negative zeros; in f8 also NaN and infinity. Without a fault.
[[nodiscard]] StoredTensor withAnything(const StoredCase& test);

/// Has a companion of f32 in another floating type.
void narrowScales(StoredTensor& stored, size_t companion, DType type);

}  // namespace lowtide::testing
