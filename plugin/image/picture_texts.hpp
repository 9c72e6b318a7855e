#pragma once

#include "plugin/image/byte_source.hpp"
#include "plugin/image/picture_file.hpp"

namespace lowtide::image {

/// The texts of a picture file, as decodePicture gives them, without reading its pixels. Errors as
/// decodePicture, but for the pixels.
[[nodiscard]] std::vector<PictureText> readPictureTexts(const ByteSource& source,
                                                        std::string_view name);

}  // namespace lowtide::image
