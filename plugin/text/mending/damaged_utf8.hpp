#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lowtide::models {

// UTF-8 that went through programs. Source: ftfy 6.3.1, restore_byte_a0, replace_lossy_sequences
// and utf8_variants.py.

/// Puts the byte 0xA0 back where UTF-8 has a space in its place: what took it for a space that does
/// not break changed it. A word "\xC3" ("\u00E0" in French) keeps its space.
[[nodiscard]] std::string withRestoredBytes(std::string_view bytes);
/// Replaces what would be a character, were bytes of it not lost (kLostByte, or one "?"), by
/// U+FFFD.
[[nodiscard]] std::string withMarkedLosses(std::string_view bytes);
/// The characters of UTF-8, of CESU-8 (surrogates as characters), with Java's two bytes for zero;
/// nothing: it is none.
[[nodiscard]] std::optional<std::u32string> decodedUtf8(std::string_view bytes);

}  // namespace lowtide::models
