#pragma once
// A prompt as a CLIP encoder reads it: tokens and embeddings, with weights, in chunks; and as
// ComfyUI gives it to encoders of other kinds. Torch-free.

#include "plugin/base/message.hpp"
#include "plugin/checkpoints/embeddings.hpp"
#include "plugin/text/clip_tokenizer.hpp"
#include "plugin/text/named_embeddings.hpp"
#include "plugin/text/prompt_chunks.hpp"
#include "plugin/text/prompt_weights.hpp"
#include "plugin/text/unigram_tokenizer.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::models {

/// Which embeddings a text encoder takes.
struct EmbeddingUse {
    const EmbeddingLibrary* library = nullptr;  ///< null: none, and their names are words
    std::string_view set = kClipL;              ///< of files that have several
    Message encoder = phrase("text encoder");   ///< in messages
    int64_t width = 0;                          ///< of the encoder's token rows
};

/// Makes tokens of texts for one text encoder, and vectors where a text names an embedding: by its
/// name, as A1111 does it (the tokens of the name, wherever they are; the longest first), or as
/// embedding:name, ComfyUI's. One that is not there is left out of the text, as ComfyUI does it.
/// Sources: AUTOMATIC1111 stable-diffusion-webui 1.10, textual_inversion.py; ComfyUI, sd1_clip.py.
class PromptTokens {
public:
    /// `tokenizer` and the library must outlive it.
    explicit PromptTokens(const ClipTokenizer& tokenizer, EmbeddingUse use = {});

    [[nodiscard]] const ClipTokenizer& tokenizer() const { return tokenizer_; }

    /// Errors as ClipTokenizer::tokensOf() and of embedding files, on parameter `item`.
    [[nodiscard]] std::vector<PromptToken> of(std::string_view text, const std::string& item);
    /// A text of one weight as ComfyUI reads it: the words between mentions of embeddings, and each
    /// embedding, on their own. embedding:name begins behind white space and ends at white space,
    /// "<" or "[", and commas at its end are words; names alone are words. Errors as of().
    [[nodiscard]] std::vector<std::vector<PromptToken>> piecesOf(std::string_view text,
                                                                 const std::string& item);

    /// What the texts named since it was asked last.
    [[nodiscard]] EmbeddingsNamed takeNamed() { return std::exchange(named_, {}); }

private:
    /// An embedding that the library has, as a text would write it.
    struct Written {
        std::vector<TokenId> ids;
        std::string name;
    };

    void addWords(std::string_view text, const std::string& item, std::vector<PromptToken>& tokens);
    /// Handles "embedding:" with what follows it, and returns how many bytes that is.
    [[nodiscard]] size_t addMentioned(std::string_view text,
                                      const std::string& item,
                                      std::vector<PromptToken>& tokens);
    /// The same as ComfyUI does it, of what follows "embedding:" up to the next mention.
    void addComfyUiMention(std::string_view behind,
                           const std::string& item,
                           std::vector<std::vector<PromptToken>>& pieces);
    /// The one whose name the tokens from `at` on are; null: none.
    [[nodiscard]] const Written* writtenAt(const std::vector<TokenId>& ids, size_t at) const;
    [[nodiscard]] EmbeddingRef find(std::string_view name, const std::string& item) const;
    [[nodiscard]] PromptToken tokenOf(const EmbeddingRef& embedding, const std::string& item);

    const ClipTokenizer& tokenizer_;
    EmbeddingUse use_;
    std::map<TokenId, std::vector<Written>> written_;  ///< by the first token, long ones in front
    std::map<EmbeddingRef, PromptToken> taken_;
    int64_t nextId_;
    EmbeddingsNamed named_;
};

/// A prompt as the text encoder reads it.
struct CutPrompt {
    std::vector<PromptChunk> chunks;  ///< at least one
    std::vector<double> weights;      ///< of the parts that PromptChunk::parts counts
    int64_t cutTokens = 0;            ///< left out at the end: of None alone
    EmbeddingsNamed embeddings{};
};

/// Error{InvalidInput} on parameter `item` when the text is no UTF-8 or a weight is beyond
/// +-1000; Error{Unsupported} for an operator of Compel that is not built; errors of embeddings.
[[nodiscard]] CutPrompt cutPrompt(PromptTokens& tokens,
                                  PromptWeights weights,
                                  const std::string& text,
                                  const std::string& item);

/// The first chunk of a text that ComfyUI cuts: of what pooled states are. Errors as cutPrompt().
[[nodiscard]] TokenizedPrompt comfyUiTokens(const ClipTokenizer& tokenizer,
                                            const std::string& text,
                                            const std::string& item);
/// A text as ComfyUI gives it to T5 and its kin: each stretch of one weight on its own, behind them
/// the end token, and padding up to `least` tokens; nothing is cut. Errors as cutPrompt().
[[nodiscard]] TokenizedPrompt comfyUiTokens(const UnigramTokenizer& tokenizer,
                                            int64_t least,
                                            const std::string& text,
                                            const std::string& item);

}  // namespace lowtide::models
