#pragma once

#include <string>
#include <string_view>

namespace lowtide::models {

/// The one or two characters that HTML names `name` ("amp", "nGt"); empty: there is no such name.
[[nodiscard]] std::u32string htmlCharacters(std::string_view name);
/// The length of the longest name at the beginning of `text` that HTML reads without a semicolon
/// ("notit": 3); 0: it begins with none.
[[nodiscard]] size_t bareHtmlName(std::string_view text);
/// As htmlCharacters() for a name in capitals that HTML does not have ("NTILDE" for "ntilde"): the
/// characters in capitals; empty: HTML has the name, or not in small letters, or reads its
/// beginning. Source: ftfy 6.3.1, chardata.py.
[[nodiscard]] std::u32string capitalHtmlCharacters(std::string_view name);

}  // namespace lowtide::models
