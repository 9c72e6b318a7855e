#pragma once

#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/encoders/text_encoders.hpp"
#include "plugin/nn/model.hpp"

#include <ATen/core/Tensor.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::models {

/// One side's prompts as the denoiser reads them, [1, ...] f32 each.
struct HiDreamTexts {
    at::Tensor t5;        ///< [1, T, width]
    at::Tensor language;  ///< [1, layers, T, width]
    at::Tensor pooled;    ///< [1, width]: of both CLIP encoders
};

/// What the denoiser reads of texts, whoever encodes them.
struct HiDreamTextWidths {
    int64_t t5 = 0;
    int64_t language = 0;
    int64_t pooled = 0;
};

/// The four text encoders of HiDream-I1. Each reads a prompt of its own, or the one of all. Zeros
/// stand for one that the checkpoint lacks, as in ComfyUI; the language model it must have.
class HiDreamEncoders {
public:
    /// Reads configs and tokenizers. Errors name the component, and where users find a language
    /// model that is missing.
    explicit HiDreamEncoders(Checkpoint& checkpoint);

    /// Of those that the checkpoint has.
    [[nodiscard]] std::vector<TreeSource> treeSources() const;

    [[nodiscard]] const LanguageModelConfig& language() const { return language_->config(); }

    /// Error{Unsupported} on the encoder that gives texts of another width.
    void requireWidths(const Checkpoint& checkpoint, const HiDreamTextWidths& widths) const;

    /// Tokens of each of a request's texts. Error{InvalidInput} on "length".
    [[nodiscard]] int64_t lengthOf(const PromptRequest& request) const;
    /// By the parameter of each text: how many of its tokens do not fit.
    [[nodiscard]] std::vector<std::pair<std::string, int64_t>> cutTokens(
        const PromptRequest& request) const;
    /// Of each text in each encoder that reads it.
    [[nodiscard]] std::vector<TextCount> counts(const PromptRequest& request) const;
    /// Both sides, the positive one first: one forward of each encoder. Records tokens, tokens_mask
    /// and what the encoders do.
    [[nodiscard]] std::array<HiDreamTexts, 2> encode(StageContext& context,
                                                     const PromptRequest& request,
                                                     const HiDreamTextWidths& widths) const;

private:
    [[nodiscard]] bool has(std::string_view role) const;
    [[nodiscard]] TokenizedPrompt tokensOf(size_t encoder,
                                           const std::string& text,
                                           int64_t length,
                                           const std::string& parameter) const;
    /// The prompts that encoder number `encoder` (0 to 3) reads.
    [[nodiscard]] PromptTokenPair textsOf(const PromptRequest& request, size_t encoder) const;
    /// [1, width] of each side.
    [[nodiscard]] std::array<at::Tensor, 2> pooledBy(StageContext& context,
                                                     const PromptRequest& request,
                                                     size_t encoder) const;
    void reportBegin(const PromptRequest& request, size_t encoder) const;
    template <class Work>
    void whereJoined(StageContext& context, const Work& work) const;
    [[nodiscard]] std::array<at::Tensor, 2> pooled(StageContext& context,
                                                   const PromptRequest& request,
                                                   int64_t width) const;
    [[nodiscard]] at::Tensor t5States(StageContext& context,
                                      const PromptRequest& request,
                                      int64_t width) const;

    std::array<std::unique_ptr<const ClipEncoder>, 2> clips_;
    std::unique_ptr<const T5Text> t5_;
    std::unique_ptr<const LanguageText> language_;
};

}  // namespace lowtide::models
