#pragma once

#include <string>
#include <string_view>

namespace lowtide::models {

/// A text without the accidents that texts meet with on their way: UTF-8 read in a wrong encoding,
/// names of HTML, ligatures, widths, curly quotes, control characters, letters apart from their
/// marks. Source: ftfy 6.3.1 (Robyn Speer, Apache-2.0), fix_text with its defaults; texts that need
/// more rounds than Effort has are left as they are behind its last one.
[[nodiscard]] std::u32string mendedText(std::u32string_view text);

}  // namespace lowtide::models
