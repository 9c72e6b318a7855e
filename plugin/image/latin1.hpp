#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lowtide::image {

/// The UTF-8 text of Latin-1 bytes; every byte sequence is valid Latin-1.
[[nodiscard]] std::string utf8FromLatin1(std::string_view bytes);
/// The Latin-1 bytes of a valid UTF-8 text; empty when it has a character that Latin-1 lacks.
[[nodiscard]] std::optional<std::string> latin1FromUtf8(std::string_view text);

}  // namespace lowtide::image
