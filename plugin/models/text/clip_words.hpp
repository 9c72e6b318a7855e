#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// Splits text as CLIP's tokenizer does: Unicode NFC, lower case, then letters, single digits,
/// English contractions and runs of other characters; white space only separates. Source:
/// transformers 5.23 CLIPTokenizer.
class ClipWords {
public:
    ClipWords();
    ~ClipWords();
    ClipWords(ClipWords&&) noexcept;

    /// NFC and lower case. `text` must be valid UTF-8.
    [[nodiscard]] static std::string normalize(std::string_view text);
    /// The words of normalized text, as views into it.
    [[nodiscard]] std::vector<std::string_view> split(std::string_view normalized) const;

private:
    struct Pattern;
    std::unique_ptr<Pattern> pattern_;
};

}  // namespace lowtide::models
