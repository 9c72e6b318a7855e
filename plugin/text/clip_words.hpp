#pragma once

#include "plugin/text/text_pattern.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// Unicode NFC. `text` must be valid UTF-8.
[[nodiscard]] std::string composedText(std::string_view text);

/// Splits text as CLIP's tokenizer does: Unicode NFC, lower case, then letters, single digits,
/// English contractions and runs of other characters; white space only separates. Source:
/// transformers 5.23 CLIPTokenizer.
class ClipWords {
public:
    ClipWords();

    /// NFC and lower case. `text` must be valid UTF-8.
    [[nodiscard]] static std::string normalize(std::string_view text);
    /// The words of normalized text, as views into it.
    [[nodiscard]] std::vector<std::string_view> split(std::string_view normalized) const;

private:
    TextPattern pattern_;
};

}  // namespace lowtide::models
