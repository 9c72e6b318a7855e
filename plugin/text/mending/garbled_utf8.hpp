#pragma once

#include <cstddef>
#include <string_view>

namespace lowtide::models {

/// Characters in a row that are UTF-8's bytes in encodings like Latin-1, mixed ones too.
struct GarbledPart {
    size_t begin = 0;
    size_t end = 0;  ///< as begin: there is none
};

/// The first from `from` on; at the end of `text`: there is none. Source: ftfy 6.3.1,
/// UTF8_DETECTOR_RE of chardata.py.
[[nodiscard]] GarbledPart nextGarbledPart(std::u32string_view text, size_t from);

}  // namespace lowtide::models
