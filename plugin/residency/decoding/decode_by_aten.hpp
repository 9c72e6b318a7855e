#pragma once
// Encoded weights on a device as f32, by ATen's operators and with the bits of the host's decoders;
// whether a GPU's kernels do it in one go.

#include "plugin/encodings/encodings.hpp"
#include "plugin/memory/component_parts.hpp"

#include <ATen/core/Tensor.h>

#include <vector>

namespace lowtide::residency {

/// What a device holds of one part of an encoded tensor. Tensors: uint8, 1-D, contiguous, all on
/// one device, at any alignment.
struct StoredTensors {
    const memory::Encoded* tensor = nullptr;
    encodings::Part part;  ///< counted as the companions count
    at::Tensor blocks;
    /// Of each companion the bytes that encodings::companionRange() asks for.
    std::vector<at::Tensor> companions{};
};

/// The part's numbers, f32 [part.count], with the bits of encodings::Encoding::decode (of a NaN
/// only that it is one), by ATen's operators: on any device, which is never waited for; on meta
/// tensors shapes alone. In addition it takes at most as many bytes for a moment as decoding/ways
/// states. Error{Unsupported} names an encoding without a way.
[[nodiscard]] at::Tensor decodeByAten(const StoredTensors& stored);

/// Whether a GPU's kernels decode it in one go, without memory beyond the numbers; else ATen's
/// operators do.
[[nodiscard]] bool hasGpuDecoder(const memory::Encoded& tensor) noexcept;

}  // namespace lowtide::residency
