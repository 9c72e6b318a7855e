#pragma once

#include <string>
#include <string_view>

namespace lowtide::models {

/// Unicode's normal form C, in a time that grows with the length alone: utf8proc orders a thousand
/// marks of one letter in a million steps.
[[nodiscard]] std::u32string withComposedCharacters(std::u32string_view text);

}  // namespace lowtide::models
