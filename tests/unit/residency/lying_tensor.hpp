#pragma once

#include "plugin/residency/decoding/decode_by_aten.hpp"
#include "tests/unit/encodings/stored_tensor.hpp"

#include <QString>

namespace lowtide::testing {

/// The part as a device holds it, each tensor at an odd place.
[[nodiscard]] residency::StoredTensors lyingOn(c10::Device device,
                                               const StoredTensor& tensor,
                                               encodings::Part part);
/// Parts of a stored tensor: all of it, blocks at its ends and across rows.
[[nodiscard]] std::vector<encodings::Part> partsOf(const StoredTensor& stored);
/// The first number that differs; NaN is NaN.
[[nodiscard]] QString differenceOf(const at::Tensor& ours, const std::vector<float>& theirs);
/// Of every part, decoded by ATen on `device`, from the host's decoder; also said where decoding
/// changed what lies there.
[[nodiscard]] QString differenceOn(c10::Device device, const StoredTensor& stored);

}  // namespace lowtide::testing
