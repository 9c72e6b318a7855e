#pragma once

#include "plugin/base/stop_token.hpp"
#include "plugin/host_api/host.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::image {

/// A text chunk: keyword (1-79 characters of Latin-1, here in UTF-8) and UTF-8 text.
struct PngText {
    std::string key;
    std::string text;
};

struct Png {
    Image8 picture;
    std::vector<PngText> texts;
};

/// Encodes an 8-bit picture (1, 3 or 4 channels) with text chunks before the pixels: tEXt for
/// ASCII, iTXt for the rest, never compressed. The same input gives the same bytes. Errors:
/// Error{InvalidInput} for a text that is not UTF-8 or holds a NUL, for a key that PNG does not
/// allow, and beyond the limits of decodePng; Error{Cancelled}, asked between rows.
[[nodiscard]] std::string encodePng(const Image8& picture,
                                    const std::vector<PngText>& texts,
                                    const StopToken& stop = {});

/// Decodes to 8 bit, 1, 3 or 4 channels (palette, 16 bit and grey-alpha are converted), with tEXt,
/// zTXt and iTXt chunks before and after the pixels. `name` is for messages. Limits: 1000 text
/// chunks of together 32 MiB, 2^28 pixels, 2^20 a side. Errors: Error{Corrupt} says what is wrong
/// (also a wrong checksum in any chunk); Error{OutOfMemory}.
[[nodiscard]] Png decodePng(std::span<const std::byte> bytes, std::string_view name);

}  // namespace lowtide::image
