#pragma once

#include <string>
#include <string_view>

namespace lowtide::image {

/// A valid UTF-8 text as UTF-16, the high byte of each unit first.
[[nodiscard]] std::string utf16FromUtf8(std::string_view text);
/// UTF-16 as UTF-8; halves of a pair that lack the other become U+FFFD, an odd last byte is left
/// out.
[[nodiscard]] std::string utf8FromUtf16(std::string_view bytes, bool isBigEndian);

}  // namespace lowtide::image
