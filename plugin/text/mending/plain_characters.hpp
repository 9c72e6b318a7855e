#pragma once

#include <string>
#include <string_view>

namespace lowtide::models {

/// Characters as they are typed: control characters of Latin-1 as those of Windows-1252, ligatures
/// as letters, full and half width as normal width, curly quotes as straight ones, every line break
/// as a line feed. Source: ftfy 6.3.1, fix_c1_controls to fix_line_breaks.
[[nodiscard]] std::u32string withPlainCharacters(std::u32string_view text);
/// Without escapes for terminals' colours, and without control characters that show nothing.
/// Source: ftfy 6.3.1, remove_terminal_escapes, remove_control_chars.
[[nodiscard]] std::u32string withoutControls(std::u32string_view text);

}  // namespace lowtide::models
