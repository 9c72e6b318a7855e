#pragma once

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <cstdint>

namespace lowtide::residency {

/// Converts `source` to f32 with the processor's wide instructions and writes past its caches: a
/// weight is read long after it was written, by other cores too. Bits as ATen's. Returns how many
/// elements from the front were converted; the rest is left to the caller (all of it where the
/// processor has no AVX2 or `target` is not aligned to 32 bytes). Other threads see what was
/// written once they are told by the usual means.
[[nodiscard]] int64_t widenPastCaches(float* target,
                                      const c10::Half* source,
                                      int64_t count) noexcept;
[[nodiscard]] int64_t widenPastCaches(float* target,
                                      const c10::BFloat16* source,
                                      int64_t count) noexcept;

}  // namespace lowtide::residency
