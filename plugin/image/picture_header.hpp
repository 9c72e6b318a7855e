#pragma once

#include "plugin/image/byte_source.hpp"
#include "plugin/image/picture_file.hpp"

namespace lowtide::image {

struct PictureSize {
    int64_t widthPixels = 0;
    int64_t heightPixels = 0;
};

/// What a picture file says before its pixels.
struct PictureHeader {
    PictureFormat format = PictureFormat::Png;
    PictureSize size;                ///< as the picture is shown: after `orientation`
    int orientation = 1;             ///< of EXIF, 1 to 8; 1: as stored
    std::string profile{};           ///< name of an ICC profile other than sRGB's; empty: none
    std::vector<PictureText> texts;  ///< of EXIF (exif.hpp)
};

/// Reads some hundred bytes, and EXIF and the begin of a colour profile where the file has them;
/// no pixels. EXIF and profiles that are damaged count as none. Errors as decodePicture.
[[nodiscard]] PictureHeader readPictureHeader(const ByteSource& source, std::string_view name);

/// "PNG", "JPEG", "WebP".
[[nodiscard]] const char* nameOf(PictureFormat format);

}  // namespace lowtide::image
