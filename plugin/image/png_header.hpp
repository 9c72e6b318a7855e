#pragma once

#include "plugin/image/picture_header.hpp"

namespace lowtide::image {

/// Bytes at the start of a file that pngSize() looks at.
inline constexpr size_t kPngHeaderBytes = 24;

/// Size of a PNG picture from the first bytes of its file, of which the rest is not looked at.
/// `name` is for messages. Error{Corrupt} for what is none, is cut off, or is beyond the limits of
/// decodePicture.
[[nodiscard]] PictureSize pngSize(std::span<const std::byte> begin, std::string_view name);

}  // namespace lowtide::image
