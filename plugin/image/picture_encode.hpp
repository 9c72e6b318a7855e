#pragma once

#include "plugin/base/stop_token.hpp"
#include "plugin/image/picture_file.hpp"

namespace lowtide::image {

/// How a picture is written. The same input gives the same bytes with the same libraries.
struct PictureEncoding {
    PictureFormat format = PictureFormat::Png;
    int quality = 90;         ///< 1 to 100; of JPEG and of WebP that is not lossless
    bool isLossless = false;  ///< of WebP
};

/// Most pixels of a side that the format takes.
[[nodiscard]] int64_t largestSide(PictureFormat format);

/// Encodes an 8-bit picture with its texts: PNG as encodePng; JPEG (1 or 3 channels) and WebP with
/// EXIF (exif.hpp), which is left out without texts. JPEG halves the colours' resolution below
/// quality 90. Errors: Error{InvalidInput} for a picture or a text that the format does not take,
/// and a quality beyond its range; Error{Cancelled}, asked while it encodes.
[[nodiscard]] std::string encodePicture(const Image8& picture,
                                        const std::vector<PictureText>& texts,
                                        const PictureEncoding& encoding,
                                        const StopToken& stop = {});

}  // namespace lowtide::image
