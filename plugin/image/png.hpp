#pragma once
// PNG alone; images of any format: image_file.hpp.

#include "plugin/base/stop_token.hpp"
#include "plugin/image/image_file.hpp"

namespace lowtide::image {

/// Encodes an 8-bit image (1, 3 or 4 channels) with text chunks before the pixels: tEXt for
/// ASCII, iTXt for the rest, never compressed. The same input gives the same bytes. Errors:
/// Error{InvalidInput} for a text that is not UTF-8 or holds a NUL, for a key that PNG does not
/// allow (1-79 characters of Latin-1), and beyond the limits of decodePng; Error{Cancelled}, asked
/// between rows.
[[nodiscard]] std::string encodePng(const Image8& image,
                                    const std::vector<ImageText>& texts,
                                    const StopToken& stop = {});

/// Decodes to 1, 3 or 4 channels (palette and grey-alpha are converted) as they are stored, without
/// a look at EXIF, with tEXt, zTXt and iTXt chunks before and after the pixels. `name` is for
/// messages. Limits: 1000 text chunks of together 32 MiB, 2^28 pixels, 2^20 a side. Errors:
/// Error{Corrupt} states what is wrong (also a wrong checksum in any chunk); Error{OutOfMemory}.
[[nodiscard]] DecodedImage decodePng(std::span<const std::byte> bytes,
                                     std::string_view name,
                                     Depth depth = Depth::Eight);

}  // namespace lowtide::image
