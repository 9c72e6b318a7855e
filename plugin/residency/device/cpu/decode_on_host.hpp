#pragma once

#include "plugin/base/dtype.hpp"
#include "plugin/residency/device/held_bytes.hpp"

namespace lowtide::residency {

/// Writes all elements as `type` to `target`, aligned to it, on ATen's threads, each of which
/// takes 8 KiB, or a block's numbers, where the type is not f32.
void decodeOnHost(const HeldBytes& held, DType type, std::byte* target);

}  // namespace lowtide::residency
