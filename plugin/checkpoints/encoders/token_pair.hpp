#pragma once

#include "plugin/text/tokenized_prompt.hpp"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace lowtide::models {

class Pass;

/// The texts of both sides as one encoder reads them: tokens of one length, behind them padding.
struct PromptTokenPair {
    TokenizedPrompt positive;
    TokenizedPrompt negative;

    /// int64 [2, length] on the CPU, the positive one first. Records ids and masks of each as
    /// `tokens` and `tokens_mask` with `suffix`.
    [[nodiscard]] at::Tensor rows(Pass& pass, const std::string& suffix) const;
    /// Of each row, how many are no padding.
    [[nodiscard]] std::vector<int64_t> lengths() const;
};

}  // namespace lowtide::models
