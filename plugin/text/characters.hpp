#pragma once
// Characters of UTF-8: code points, white space, and Unicode's normal form C.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lowtide::models {

/// One character of valid UTF-8.
struct Character {
    int32_t code = 0;
    size_t bytes = 1;
};

/// The one at the beginning of `text`, which is valid UTF-8 and not empty.
[[nodiscard]] Character firstCharacter(std::string_view text);
/// Unicode's White_Space.
[[nodiscard]] bool isWhiteSpace(int32_t code);
/// What Python's str.isspace and the \\s of its expressions take: separators of files and records
/// too.
[[nodiscard]] bool isPythonSpace(char32_t code);

/// The characters of `text`, which is valid UTF-8.
[[nodiscard]] std::u32string wideText(std::string_view text);
/// `text` in UTF-8. It has no surrogates.
[[nodiscard]] std::string narrowText(std::u32string_view text);

/// Unicode's normal form C, in a time that grows with the length alone: utf8proc orders a thousand
/// marks of one letter in a million steps.
[[nodiscard]] std::u32string withComposedCharacters(std::u32string_view text);

}  // namespace lowtide::models
