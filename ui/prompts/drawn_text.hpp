#pragma once

#include "ui/prompts/prompt_choices.hpp"

namespace lowtide::ui {

/// PromptChoices::drawn(), combinations() and combination() of its parts.
[[nodiscard]] std::string drawnText(const std::vector<PromptPart>& parts,
                                    const Wildcards& wildcards,
                                    uint64_t seed);
[[nodiscard]] uint64_t combinationsOf(const std::vector<PromptPart>& parts,
                                      const Wildcards& wildcards);
[[nodiscard]] std::string combinationText(const std::vector<PromptPart>& parts,
                                          const Wildcards& wildcards,
                                          uint64_t index);

}  // namespace lowtide::ui
