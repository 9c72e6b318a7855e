#pragma once
// What each format has of its own; internal to the room.

#include "plugin/image/picture_encode.hpp"

namespace lowtide::image {

/// Pictures that were checked; `exif` are the bytes of a TIFF file, or empty.
[[nodiscard]] std::string encodeJpeg(const Image8& picture,
                                     const std::string& exif,
                                     int quality,
                                     const StopToken& stop);
[[nodiscard]] std::string encodeWebP(const Image8& picture,
                                     const std::string& exif,
                                     const PictureEncoding& encoding,
                                     const StopToken& stop);

}  // namespace lowtide::image
