#pragma once

#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/encoders/opened_later.hpp"
#include "plugin/checkpoints/encoders/token_pair.hpp"
#include "plugin/nn/text/language_model.hpp"
#include "plugin/text/byte_level_tokenizer.hpp"

#include <string>
#include <string_view>

namespace lowtide::models {

/// A language model of a checkpoint and the tokenizer that belongs to it. Any thread.
class LanguageText {
public:
    /// The component is named `role`; `tokenizer` is its tokenizer's folder, whose
    /// tokenizer_config.json names under `paddingKey` ("eos_token") the token behind texts.
    /// Error{Corrupt} when the tokenizer has no such token, or makes what the model does not take;
    /// and those of their readers.
    LanguageText(Checkpoint& checkpoint,
                 const std::string& tokenizer,
                 std::string_view role,
                 const char* paddingKey);

    [[nodiscard]] const LanguageModelConfig& config() const { return config_; }

    /// In `length` places. Error{InvalidInput} on `item` when it is no UTF-8.
    [[nodiscard]] TokenizedPrompt tokenize(std::string_view text,
                                           int64_t length,
                                           const std::string& item) const;
    /// LanguageModel::encode() of both texts in one pass, of the positive one first. Records tokens
    /// and tokens_mask with `suffix`.
    [[nodiscard]] at::Tensor encode(Pass& pass,
                                    const PromptTokenPair& texts,
                                    int64_t first,
                                    int64_t last,
                                    const std::string& suffix) const;

    [[nodiscard]] const OpenedLater<LanguageModel>& model() const { return model_; }

private:
    std::string role_;
    LanguageModelConfig config_;
    ByteLevelTokenizer tokenizer_;
    TokenId padding_;
    OpenedLater<LanguageModel> model_;
};

}  // namespace lowtide::models
