#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lowtide::models {

/// One character of valid UTF-8.
struct Character {
    int32_t code = 0;
    size_t bytes = 1;
};

/// The one at the beginning of `text`, which is valid UTF-8 and not empty.
[[nodiscard]] Character firstCharacter(std::string_view text);
/// Unicode's White_Space.
[[nodiscard]] bool isWhiteSpace(int32_t code);

}  // namespace lowtide::models
