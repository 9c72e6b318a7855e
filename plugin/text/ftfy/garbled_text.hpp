#pragma once
// Where a text looks as if UTF-8 had been read in a wrong encoding: rows of characters that hardly
// anyone writes, and bytes of UTF-8 as characters.

#include <cstddef>
#include <string_view>

namespace lowtide::models {

/// Whether `text` has characters in a row that a wrong encoding makes and hardly anyone writes, as
/// accented letters before signs of currencies. Source: ftfy 6.3.1, badness.py.
[[nodiscard]] bool looksGarbled(std::u32string_view text);

/// Characters in a row that are UTF-8's bytes in encodings like Latin-1, mixed ones too.
struct GarbledPart {
    size_t begin = 0;
    size_t end = 0;  ///< as begin: there is none
};

/// The first from `from` on; at the end of `text`: there is none. Source: ftfy 6.3.1,
/// UTF8_DETECTOR_RE of chardata.py.
[[nodiscard]] GarbledPart nextGarbledPart(std::u32string_view text, size_t from);

}  // namespace lowtide::models
