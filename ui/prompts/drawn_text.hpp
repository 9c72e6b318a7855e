#pragma once

#include "ui/prompts/prompt_choices.hpp"

#include <memory>

namespace lowtide::ui {

/// All texts of a prompt's parts, one after the other: PromptChoices::combinations() and
/// combination(), for which the lines of wildcards are parsed once. `wildcards` must outlive it.
class AllTexts {
public:
    AllTexts(std::vector<PromptPart> parts, const Wildcards& wildcards);
    ~AllTexts();
    AllTexts(AllTexts&& other) noexcept;
    AllTexts& operator=(AllTexts&&) = delete;
    AllTexts(const AllTexts&) = delete;
    AllTexts& operator=(const AllTexts&) = delete;

    [[nodiscard]] uint64_t count();
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
