#pragma once
// What reader and writer of the safetensors format share.

#include "plugin/base/dtype.hpp"
#include "plugin/base/shape.hpp"
#include "plugin/base/units.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace lowtide::files {

/// The little-endian length of the JSON text in front of it.
inline constexpr Bytes kLengthBytes = 8;
/// The format's own limit of the JSON text.
inline constexpr Bytes kMaxHeaderBytes = 100'000'000;
/// The one key of a header that is no tensor: a map of texts.
inline constexpr const char* kMetadataKey = "__metadata__";

/// Bytes of a tensor; empty when they overflow.
[[nodiscard]] std::optional<Bytes> byteCount(DType type, std::span<const int64_t> shape) noexcept;

}  // namespace lowtide::files
