#pragma once
// What a PNG file states before and next to its pixels: its size, and its texts.

#include "plugin/image/image_file.hpp"
#include "plugin/image/image_header.hpp"

namespace lowtide::image {

/// Bytes at the start of a file that pngSize() looks at.
inline constexpr size_t kPngHeaderBytes = 24;

/// Size of a PNG image from the first bytes of its file, of which the rest is not looked at.
/// `name` is for messages. Error{Corrupt} for what is none, is cut off, or is beyond the limits of
/// decodeImage.
[[nodiscard]] ImageSize pngSize(std::span<const std::byte> begin, std::string_view name);

/// The text chunks of a PNG file. Only they and the heads of the other chunks are read, no pixels.
/// Limits and errors as decodePng, but for the pixels.
[[nodiscard]] std::vector<ImageText> readPngTexts(const ByteSource& source, std::string_view name);

}  // namespace lowtide::image
