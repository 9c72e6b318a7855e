#pragma once

#include "plugin/encodings/encoding.hpp"

#include <ATen/core/Tensor.h>

#include <vector>

namespace lowtide::residency {

/// What a device holds of one encoded tensor, or of a part of it: bytes, [n], contiguous.
struct StoredTensors {
    const memory::Encoded* tensor = nullptr;
    encodings::Part part;  ///< as encodings::StoredPart's
    at::Tensor blocks;
    std::vector<at::Tensor> companions;  ///< of each what companionRange() asks for
};

/// The part's numbers, f32 [part.count], with operators that every device has, none of which
/// multiplies and adds at once: bit for bit those of Encoding::decode. No value of them is read on
/// the host. Takes up to 20 bytes an element meanwhile. Error{Unsupported} names an encoding that
/// has no such way.
[[nodiscard]] at::Tensor decodeByAten(const StoredTensors& stored);

}  // namespace lowtide::residency
