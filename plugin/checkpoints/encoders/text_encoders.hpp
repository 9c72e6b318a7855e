#pragma once
// The text encoders of a checkpoint (CLIP, T5, language models), each with its tokenizer, opened
// when they are first used.

#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/encoders/prompt_tokens.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/component_source.hpp"
#include "plugin/nn/text/clip_text_model.hpp"
#include "plugin/nn/text/language_model.hpp"
#include "plugin/nn/text/t5_encoder.hpp"
#include "plugin/text/byte_level_tokenizer.hpp"
#include "plugin/text/clip_tokenizer.hpp"
#include "plugin/text/prompt_chunks.hpp"
#include "plugin/text/unigram_tokenizer.hpp"

#include <ATen/core/Tensor.h>

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::models {

/// A network whose files are opened at its first use: a kept conditioning needs no encoder. Any
/// thread.
template <class Network>
class OpenedLater {
public:
    using Open = std::function<std::unique_ptr<const Network>()>;

    explicit OpenedLater(Open open) : open_(std::move(open)) {}

    /// The network; opens its files.
    [[nodiscard]] const Network& get() const {
        const std::lock_guard lock(mutex_);
        if (!network_) {
            network_ = open_();
        }
        return *network_;
    }

    /// Of its tree, in the role that it is opened for; it must outlive the result.
    [[nodiscard]] TreeSource treeSource(const std::string& role) const {
        return {.role = role,
                .tree = [this] { return get().tree(); },
                .openedTree = [this]() -> TreeSource::Tree {
                    const std::lock_guard lock(mutex_);
                    return network_ ? network_->tree() : nullptr;
                }};
    }

private:
    Open open_;
    mutable std::mutex mutex_;
    mutable std::unique_ptr<const Network> network_;
};

class Forward;

/// The texts of both sides as one encoder reads them: tokens of one length, behind them padding.
struct PromptTokenPair {
    TokenizedPrompt positive;
    TokenizedPrompt negative;

    /// int64 [2, length] on the CPU, the positive one first. Records ids and masks of each as
    /// `tokens` and `tokens_mask` with `suffix`.
    [[nodiscard]] at::Tensor rows(Forward& forward, const std::string& suffix) const;
    /// Of each row, how many are no padding.
    [[nodiscard]] std::vector<int64_t> lengths() const;
};

/// A text encoder of a checkpoint and the tokenizer that belongs to it. Any thread.
class ClipEncoder {
public:
    /// The component is named like the role of `use`; `tokenizer` is its tokenizer's folder.
    /// Error{Corrupt} when the tokenizer makes what the encoder does not take; and those of their
    /// readers.
    ClipEncoder(Checkpoint& checkpoint, const std::string& tokenizer, ClipTextUse use);

    [[nodiscard]] const std::string& role() const { return use_.role; }

    [[nodiscard]] const ClipTextConfig& config() const { return config_; }

    [[nodiscard]] const ClipTokenizer& tokenizer() const { return tokenizer_; }

    /// How its texts name embeddings of a library, which may be null; `set`: the one for it of
    /// files that have several.
    [[nodiscard]] EmbeddingUse embeddingsIn(const EmbeddingLibrary* library,
                                            std::string_view set) const;

    /// The network; opens its files.
    [[nodiscard]] const ClipTextModel& model() const { return model_.get(); }

    [[nodiscard]] TreeSource treeSource() const { return model_.treeSource(role()); }

    /// The pooled states of both texts, the positive one first: [1, width] each. Recorded and noted
    /// with `suffix` as PromptTokenPair::rows does.
    [[nodiscard]] std::array<at::Tensor, 2> pooledOf(StageContext& context,
                                                     const PromptTokenPair& texts,
                                                     const std::string& suffix) const;

private:
    ClipTextUse use_;
    ClipTextConfig config_;
    ClipTokenizer tokenizer_;
    OpenedLater<ClipTextModel> model_;
};

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
    [[nodiscard]] at::Tensor encode(Forward& forward,
                                    const PromptTokenPair& texts,
                                    T5Padding padding,
                                    const std::string& suffix = {}) const;

    /// The states of each text, the positive one first: [1, T, width] f32, moved from those of the
    /// empty text where tokens have weights (awayFromEmpty). Texts of one length are in one pass.
    /// Records as encode().
    [[nodiscard]] std::array<at::Tensor, 2> encodeWeighted(Forward& forward,
                                                           const PromptTokenPair& texts,
                                                           T5Padding padding,
                                                           const std::string& suffix = {}) const;

    [[nodiscard]] const OpenedLater<T5Encoder>& encoder() const { return encoder_; }

    [[nodiscard]] TreeSource treeSource() const { return encoder_.treeSource(role_); }

private:
    /// The same of texts of one length.
    [[nodiscard]] std::vector<at::Tensor> weightedStates(
        Forward& forward,
        const std::vector<const TokenizedPrompt*>& texts,
        T5Padding padding,
        const std::string& suffix) const;

    std::string role_;
    T5EncoderConfig config_;
    UnigramTokenizer tokenizer_;
    OpenedLater<T5Encoder> encoder_;
};

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

    /// In `length` tokens. Error{InvalidInput} on `item` when it is no UTF-8.
    [[nodiscard]] TokenizedPrompt tokenize(std::string_view text,
                                           int64_t length,
                                           const std::string& item) const;
    /// LanguageModel::encode() of both texts in one pass, of the positive one first. Records tokens
    /// and tokens_mask with `suffix`.
    [[nodiscard]] at::Tensor encode(Forward& forward,
                                    const PromptTokenPair& texts,
                                    int64_t first,
                                    int64_t last,
                                    const std::string& suffix) const;

    [[nodiscard]] const OpenedLater<LanguageModel>& model() const { return model_; }

    [[nodiscard]] TreeSource treeSource() const { return model_.treeSource(role_); }

private:
    std::string role_;
    LanguageModelConfig config_;
    ByteLevelTokenizer tokenizer_;
    TokenId padding_;
    OpenedLater<LanguageModel> model_;
};

}  // namespace lowtide::models
