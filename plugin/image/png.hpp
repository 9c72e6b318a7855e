#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/host_api/host.hpp"

namespace lowtide::image {

/// A text chunk: keyword (1-79 Latin-1 characters) and UTF-8 text.
struct PngText {
    std::string key;
    std::string text;
};

struct Png {
    Image8 picture;
    std::vector<PngText> texts;
};

/// Encodes an 8-bit picture (1, 3 or 4 channels) with text chunks before the pixels: tEXt for ASCII, iTXt for the rest,
/// never compressed. The same input gives the same bytes.
[[nodiscard]] std::string encodePng(const Image8& picture, const std::vector<PngText>& texts);

/// Decodes to 8 bit, 1, 3 or 4 channels (palette, 16 bit and grey-alpha are converted), with tEXt, zTXt and iTXt chunks before and
/// after the pixels. `name` is for messages. Limits: 32 MiB of text, 2^28 pixels. Error{Corrupt} says what is wrong.
[[nodiscard]] Png decodePng(std::span<const std::byte> bytes, std::string_view name);

}  // namespace lowtide::image
