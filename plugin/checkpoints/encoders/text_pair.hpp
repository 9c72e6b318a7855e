#pragma once
// The texts of both sides as one CLIP encoder reads them, and what weights make of its result.

#include "plugin/checkpoints/encoders/prompt_tokens.hpp"
#include "plugin/nn/text/clip_text_model.hpp"
#include "plugin/text/text_count.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

class Forward;

/// A text, and the parameter that errors about it name.
struct NamedText {
    std::string text;
    const char* parameter = "prompt";
    int clipSkip = -1;  ///< as ClipTextModel::Row has it
};

/// The texts of both sides as one text encoder reads them.
class TextPair {
public:
    /// `tokenizer` must outlive it. Errors as cutPrompt().
    TextPair(const ClipTokenizer& tokenizer,
             PromptWeights weights,
             const NamedText& positive,
             const NamedText& negative,
             EmbeddingUse embeddings = {});

    [[nodiscard]] const CutPrompt& positive() const { return positive_; }

    [[nodiscard]] const CutPrompt& negative() const { return negative_; }

    /// Of both sides.
    [[nodiscard]] EmbeddingsNamed embeddings() const;

    /// NamedText::clipSkip of each side.
    [[nodiscard]] int positiveSkip() const { return positiveText_.clipSkip; }

    [[nodiscard]] int negativeSkip() const { return negativeText_.clipSkip; }

    /// With begin, end and padding of every chunk.
    [[nodiscard]] int64_t tokensOf(const CutPrompt& text) const;

    /// Of both texts, for the encoder of a role, as users call it.
    [[nodiscard]] std::vector<TextCount> counts(std::string_view role,
                                                const std::string& encoder) const;

    /// Lets each side have as many chunks in both: the shorter text gets chunks of the empty one.
    /// So the states of two encoders can be joined along their width. Both tokenizers must be of
    /// one length. Source: the node of ComfyUI that encodes for two encoders.
    static void evenOut(TextPair& first, TextPair& second);

    enum class CondUncond : uint8_t { Both, Positive };

    struct Outputs {
        ClipTextModel::Output positive;
        ClipTextModel::Output negative;
    };

    /// All rows of both texts in one call of the encoder; of the positive text alone where the
    /// family has no use for the negative text. Records ids and masks of every chunk as `tokens`
    /// and `tokens_mask` with `suffix`.
    [[nodiscard]] Outputs encode(Forward& forward,
                                 const ClipTextModel& encoder,
                                 const std::string& suffix = {},
                                 CondUncond condUncond = CondUncond::Both) const;

private:
    void fillUp(CutPrompt& text, size_t chunks) const;
    [[nodiscard]] TextCount countOf(const CutPrompt& cut, const NamedText& named) const;

    const ClipTokenizer& tokenizer_;
    PromptWeights weights_;
    NamedText positiveText_;
    NamedText negativeText_;
    EmbeddingUse embeddings_;
    CutPrompt positive_;
    CutPrompt negative_;
};

}  // namespace lowtide::models
