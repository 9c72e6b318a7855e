#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace lowtide::models {

/// Numbers as prompts write them: digits and a point, no exponent.
struct PromptNumber {
    double value = 0;
    size_t length = 0;  ///< bytes of the text that it takes
};

/// The number at the start of `text`; a sign counts where `isSigned`. Empty when there is none, or
/// when it is too large for a double.
[[nodiscard]] std::optional<PromptNumber> numberAt(std::string_view text, bool isSigned);

/// Space, tab, line breaks: what separates words in the grammar of prompts.
[[nodiscard]] bool isPromptSpace(char c) noexcept;

}  // namespace lowtide::models
