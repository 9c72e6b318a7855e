#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lowtide::image {

inline constexpr int kGlyphWidth = 7;
inline constexpr int kGlyphHeight = 13;

/// The rows of a character from the top, in each the left pixel in bit 6. `code` is of Latin-1;
/// what cannot be shown is a question mark. Source: X11's misc-fixed 7x13, in the public domain.
[[nodiscard]] std::span<const char, kGlyphHeight> glyphOf(unsigned char code);

/// One byte of Latin-1 for each character of a UTF-8 text, "?" for those that it lacks.
[[nodiscard]] std::string shownAsLatin1(std::string_view text);

}  // namespace lowtide::image
