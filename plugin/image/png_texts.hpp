#pragma once

#include "plugin/image/byte_source.hpp"
#include "plugin/image/picture_file.hpp"

namespace lowtide::image {

/// The text chunks of a PNG file. Only they and the heads of the other chunks are read, no pixels.
/// Limits and errors as decodePng, but for the pixels.
[[nodiscard]] std::vector<PictureText> readPngTexts(const ByteSource& source,
                                                    std::string_view name);

}  // namespace lowtide::image
