#pragma once

#include "ui/prompts/prompt_choices.hpp"

#include <memory>

namespace lowtide::ui {

/// All texts of a prompt's parts, one after the other; the lines of wildcards are parsed once.
/// `wildcards` must outlive it. Errors as PromptChoices::drawn().
class AllTexts {
public:
    AllTexts(std::vector<PromptPart> parts, const Wildcards& wildcards);
    ~AllTexts();
    AllTexts(AllTexts&& other) noexcept;
    AllTexts& operator=(AllTexts&&) = delete;
    AllTexts(const AllTexts&) = delete;
    AllTexts& operator=(const AllTexts&) = delete;

    /// PromptChoices::kEndless for more than can be counted.
    [[nodiscard]] uint64_t count();
    /// The last alternatives change first.
    [[nodiscard]] std::string at(uint64_t index);

private:
    struct Known;
    std::unique_ptr<Known> known_;
};

/// PromptChoices::drawn() of its parts.
[[nodiscard]] std::string drawnText(const std::vector<PromptPart>& parts,
                                    const Wildcards& wildcards,
                                    uint64_t seed);

}  // namespace lowtide::ui
