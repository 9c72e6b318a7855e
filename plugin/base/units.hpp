#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide {

using Bytes = int64_t;
using Seconds = double;

inline constexpr Bytes kKiB = 1024;
inline constexpr Bytes kMiB = 1024 * kKiB;
inline constexpr Bytes kGiB = 1024 * kMiB;

/// Reads "8GiB", "512 MiB", "1.5G", "64k", "4096" (bytes). G and GiB are both 2^30. Empty when it
/// is no size or negative.
[[nodiscard]] std::optional<Bytes> parseBytes(std::string_view text);

/// "1.5 GiB", "64.0 MiB", "12 B": for people, not for files.
[[nodiscard]] std::string formatBytes(Bytes bytes);

/// Rounds up to a multiple of `alignment` (a power of two).
[[nodiscard]] constexpr Bytes alignUp(Bytes bytes, Bytes alignment) {
    return (bytes + alignment - 1) & ~(alignment - 1);
}

}  // namespace lowtide
