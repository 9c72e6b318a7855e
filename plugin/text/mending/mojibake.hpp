#pragma once

#include "plugin/text/mending/effort.hpp"

#include <string>
#include <string_view>

namespace lowtide::models {

/// A text whose UTF-8 was read in a wrong encoding, once or several times, all of it or parts, as
/// it was meant: "schÃ¶n" becomes "schön". Others are as they were. Source: ftfy 6.3.1,
/// fix_encoding with its defaults.
[[nodiscard]] std::u32string withoutMojibake(std::u32string_view text, Effort& effort);

}  // namespace lowtide::models
