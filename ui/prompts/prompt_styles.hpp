#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::ui {

/// Texts that a user puts around prompts again and again.
struct PromptStyle {
    std::string name;
    std::string prompt;    ///< {prompt} stands for what is written already
    std::string negative;  ///< likewise

    bool operator==(const PromptStyle&) const = default;
};

/// `style` with `text` in the place of each {prompt}; without one it follows the text, behind a
/// comma. An empty style leaves the text as it is. Source: AUTOMATIC1111 stable-diffusion-webui
/// 1.10, styles.py (apply_styles_to_prompt).
[[nodiscard]] std::string styledText(const std::string& style, const std::string& text);

/// [{"name", "prompt", "negative_prompt"}], as Fooocus has it, names sorted as they come. Entries
/// without a name are passed over; of one name the last counts. Error{Corrupt} for what is no list.
[[nodiscard]] std::vector<PromptStyle> stylesFromJson(std::string_view text, std::string_view what);
[[nodiscard]] std::string stylesText(const std::vector<PromptStyle>& styles);

/// A styles.csv of A1111: columns name, prompt, negative_prompt by the first line, in any order,
/// quoted as RFC 4180 does it. Error{Corrupt} names the line of a quote that never ends, and of a
/// first line without a column "name".
[[nodiscard]] std::vector<PromptStyle> stylesFromCsv(std::string_view text, std::string_view what);

}  // namespace lowtide::ui
