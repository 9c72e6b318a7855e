#pragma once
// A prompt as some pipelines clean it: repaired as ftfy does it, with characters as they are typed.

#include <string>
#include <string_view>

namespace lowtide::models {

/// A text without the accidents that texts meet with on their way: UTF-8 read in a wrong encoding,
/// names of HTML, ligatures, widths, curly quotes, control characters, letters apart from their
/// marks. Source: ftfy 6.3.1 (Robyn Speer, Apache-2.0), fix_text with its defaults; texts that need
/// more rounds than Effort has are left as they are behind its last one.
[[nodiscard]] std::u32string fixedText(std::u32string_view text);

/// A prompt as some pipelines clean it: repaired, then HTML's names of characters are read twice,
/// white space is one space, none at both ends. What is no UTF-8 is left alone.
/// Source: diffusers 0.42.1, prompt_clean of its video pipelines, with ftfy 6.3.1.
[[nodiscard]] std::string cleanedText(std::string_view text);

}  // namespace lowtide::models
