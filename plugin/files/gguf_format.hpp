#pragma once
// What reader and writer of the GGUF format share.

#include "plugin/base/units.hpp"
#include "plugin/files/ggml_type.hpp"
#include "plugin/files/gguf_metadata.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lowtide::files {

inline constexpr std::string_view kGgufMagic = "GGUF";
/// The version that is written, the newest.
inline constexpr uint32_t kGgufVersion = 3;
inline constexpr const char* kAlignmentKey = "general.alignment";
/// The format's own limit.
inline constexpr size_t kLongestGgufKey = 65535;
inline constexpr size_t kLongestGgufName = 4096;
/// GGML_MAX_DIMS is 4; ComfyUI-GGUF's files of video models have convolutions over frames.
inline constexpr size_t kMostGgufSizes = 5;

/// What metadata says of the alignment, 32 where it says nothing. Empty when it is no UINT32 or no
/// power of two from 8 on.
[[nodiscard]] std::optional<Bytes> alignmentIn(const GgufMetadata& metadata);

/// Why a key or tensor name cannot be in a file ("is not UTF-8"); empty when it can.
[[nodiscard]] std::string problemOfName(std::string_view name, size_t mostBytes);

/// The same of the shape of a tensor, outermost size first.
[[nodiscard]] std::string problemOfShape(GgmlType type, std::span<const int64_t> shape);

}  // namespace lowtide::files
