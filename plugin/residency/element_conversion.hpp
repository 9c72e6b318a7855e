#pragma once
// Element types: from one to another on the host, with the bits of ATen.

#include "plugin/base/units.hpp"

#include <cstddef>
#include <cstdint>

namespace lowtide::residency {

/// Whether weights of `from` can be brought to `to`: the same type, or from a floating type to F32,
/// F16 or BF16.
[[nodiscard]] bool canConvert(DType from, DType to) noexcept;

/// Writes `count` elements of `source` to `target` in another type; both aligned to their elements,
/// not overlapping. Rounds to nearest even as at::Tensor::to does; a NaN remains a NaN, its payload
/// may differ. Errors: Error{Unsupported} where canConvert() is false.
void convertElements(
    std::byte* target, DType to, const std::byte* source, DType from, int64_t count);

/// Whether none of `count` elements is NaN or infinite; whole numbers never are. Not aligned.
[[nodiscard]] bool areFinite(DType type, const std::byte* values, int64_t count) noexcept;

/// The largest magnitude of `count` numbers; a NaN counts as none.
[[nodiscard]] float largestMagnitude(const float* values, int64_t count) noexcept;

/// A power of two by which `largest` fits e4m3 (448 at most), so that scaling rounds nothing: with
/// it the bits are the same in whatever type, and wherever, values are scaled back.
[[nodiscard]] float scaleFor(float largest) noexcept;

/// values / scale in e4m3, rounded to nearest even.
void scaleToF8(std::byte* target, const float* values, float scale, int64_t count) noexcept;

}  // namespace lowtide::residency
