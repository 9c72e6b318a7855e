#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lowtide::image {

struct PictureSize {
    int64_t widthPixels = 0;
    int64_t heightPixels = 0;
};

/// Bytes at the start of a file that pngSize() looks at.
inline constexpr size_t kPngHeaderBytes = 24;

/// Size of a PNG picture from the first bytes of its file, of which the rest is not looked at.
/// `name` is for messages. Error{Unsupported} names another format (JPEG, WebP, GIF, BMP, TIFF);
/// Error{Corrupt} for what is none, is cut off, or is beyond the limits of decodePng.
[[nodiscard]] PictureSize pngSize(std::span<const std::byte> begin, std::string_view name);

/// Throws Error{Corrupt} of a PNG picture that cannot be read.
[[noreturn]] void refusePng(std::string_view name, const std::string& problem);

}  // namespace lowtide::image
