#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace lowtide::models {

/// What a text encoder reads in place of the prompts of all; empty: the same.
struct OwnPrompts {
    std::string prompt;
    std::string negative;
};

inline constexpr size_t kMostTextEncoders = 4;

/// Of the text encoders behind the first, in their order.
using EncoderPrompts = std::array<OwnPrompts, kMostTextEncoders - 1>;

/// The parameters of prompt.encode that number `index` of them stands in: "prompt_2".
[[nodiscard]] inline std::string promptNameOf(size_t index) {
    return "prompt_" + std::to_string(index + 2);
}

[[nodiscard]] inline std::string negativeNameOf(size_t index) {
    return "negative_" + std::to_string(index + 2);
}

}  // namespace lowtide::models
