#pragma once
// Limits that reader and writer of PNG share, so that what is written can be read.

#include <cstddef>
#include <cstdint>

namespace lowtide::image {

inline constexpr uint32_t kMaxSidePixels = 1u << 20;
inline constexpr uint64_t kMaxPixels = 1u << 28;
/// Keys and texts of all text chunks of a file together, unpacked.
inline constexpr size_t kMaxTextBytes = 32u << 20;
inline constexpr uint32_t kMaxTextChunks = 1000;
inline constexpr size_t kMaxKeyBytes = 79;

}  // namespace lowtide::image
