#pragma once

#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/encoders/opened_later.hpp"
#include "plugin/checkpoints/encoders/token_pair.hpp"
#include "plugin/nn/text/t5_encoder.hpp"
#include "plugin/text/unigram_tokenizer.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace lowtide::models {

/// A T5 encoder of a checkpoint and the tokenizer that belongs to it. Any thread.
class T5Text {
public:
    /// The component is named `role`; `tokenizer` is its tokenizer's folder. Error{Corrupt} when
    /// the tokenizer makes what the encoder does not take; and those of their readers.
    T5Text(Checkpoint& checkpoint, const std::string& tokenizer, std::string_view role);

    [[nodiscard]] const T5EncoderConfig& config() const { return config_; }

    [[nodiscard]] const UnigramTokenizer& tokenizer() const { return tokenizer_; }

    /// Both texts, of one length, in one pass: [2, length, width] f32. Records tokens and
    /// tokens_mask with `suffix`, and what the encoder does, of the positive one first.
    [[nodiscard]] at::Tensor encode(Pass& pass,
                                    const PromptTokenPair& texts,
                                    T5Padding padding,
                                    const std::string& suffix = {}) const;

    [[nodiscard]] const OpenedLater<T5Encoder>& encoder() const { return encoder_; }

private:
    std::string role_;
    T5EncoderConfig config_;
    UnigramTokenizer tokenizer_;
    OpenedLater<T5Encoder> encoder_;
};

}  // namespace lowtide::models
