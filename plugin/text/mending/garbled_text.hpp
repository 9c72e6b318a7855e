#pragma once

#include <string_view>

namespace lowtide::models {

/// Whether `text` has characters in a row that a wrong encoding makes and hardly anyone writes, as
/// accented letters before signs of currencies. Source: ftfy 6.3.1, badness.py.
[[nodiscard]] bool looksGarbled(std::u32string_view text);

}  // namespace lowtide::models
