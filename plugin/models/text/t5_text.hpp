#pragma once

#include "plugin/models/checkpoint.hpp"
#include "plugin/models/text/t5_encoder.hpp"
#include "plugin/models/text/unigram_tokenizer.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace lowtide::models {

/// A T5 encoder of a checkpoint and the tokenizer that belongs to it. The weights' files are opened
/// at their first use: a kept conditioning needs no encoder. Any thread.
class T5Text {
public:
    /// The component is named `role`; `tokenizer` is its tokenizer's folder, `length` what texts
    /// are padded and cut to. Error{Corrupt} when the tokenizer makes what the encoder does not
    /// take; and those of their readers.
    T5Text(Checkpoint& checkpoint,
           const std::string& tokenizer,
           std::string_view role,
           int64_t length);

    [[nodiscard]] const T5EncoderConfig& config() const { return config_; }

    [[nodiscard]] int64_t length() const { return length_; }

    /// Error{InvalidInput} on `item` when it is no UTF-8.
    [[nodiscard]] TokenizedPrompt tokenize(std::string_view text, const std::string& item) const;
    /// Both texts in one pass: [2, length, width] f32, 0 behind the end of each. Records tokens,
    /// tokens_mask and what the encoder does, of the positive one first.
    [[nodiscard]] at::Tensor encode(Pass& pass,
                                    const TokenizedPrompt& positive,
                                    const TokenizedPrompt& negative) const;
    /// The network; opens its files.
    [[nodiscard]] const T5Encoder& encoder() const;
    /// Its tree; null as long as encoder() was not asked for.
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> openedTree() const;

private:
    std::string role_;
    T5EncoderConfig config_;
    int64_t length_;
    std::function<WeightMap()> weights_;
    UnigramTokenizer tokenizer_;
    mutable std::mutex mutex_;
    mutable std::unique_ptr<const T5Encoder> encoder_;
};

}  // namespace lowtide::models
