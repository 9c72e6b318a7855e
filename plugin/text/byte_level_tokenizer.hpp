#pragma once
// A tokenizer of byte pairs whose words keep their spaces (Llama 3, Qwen, GPT-2), and the
// tokenizer.json of published kinds.

#include "plugin/base/json.hpp"
#include "plugin/text/byte_pair_encoder.hpp"
#include "plugin/text/model_files.hpp"
#include "plugin/text/prompt_chunks.hpp"
#include "plugin/text/text_pattern.hpp"
#include "plugin/text/tokenizer_files.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// How a published tokenizer of byte pairs cuts a text, as its tokenizer.json states it.
struct BytePairKind {
    std::string_view name;  ///< as llama.cpp has it
    const char* expression;
    bool composes = false;         ///< Unicode NFC first
    bool takesWholeWords = false;  ///< ignore_merges
    bool begins = false;           ///< with the token that begins a text
};

/// "llama-bpe" or "qwen2"; nullptr for others.
[[nodiscard]] const BytePairKind* bytePairKind(std::string_view name);

/// The tokenizer.json of a kind, but for what it puts around a text. `vocabulary`: token -> id;
/// `merges`: a list, best first; `added`: as added_tokens.
[[nodiscard]] Json byteLevelJson(const BytePairKind& kind,
                                 Json vocabulary,
                                 Json merges,
                                 Json added);

class TokenizerJson;

/// A tokenizer of byte pairs whose words keep their spaces: Llama 3, Qwen, GPT-2. From a
/// tokenizer.json, or from Qwen's merges.txt with or without vocab.json. Text is cut at added
/// tokens, then by the expression that the file states; each piece is encoded as bytes. Ids equal
/// those of tokenizers 0.23.
class ByteLevelTokenizer {
public:
    /// Reads the files of `component`. Error{Corrupt}, Error{NotFound} and Error{Unsupported}
    /// name the file and the setting that is not built (other models, normalizers, stripping).
    ByteLevelTokenizer(ModelFiles& files, const std::string& component);

    /// The tokens of `text` with those that the file puts around it. Error{InvalidInput} when it is
    /// no UTF-8; `item` names the parameter to blame.
    [[nodiscard]] std::vector<TokenId> tokensOf(std::string_view text,
                                                const std::string& item) const;
    /// The same in `length` tokens: cut in front of what comes last, padded with `padding`.
    [[nodiscard]] TokenizedPrompt tokenize(std::string_view text,
                                           int64_t length,
                                           TokenId padding,
                                           const std::string& item) const;

    /// What messages call the file that it was read from.
    [[nodiscard]] const std::string& file() const { return file_; }

    /// One more than the largest id that a text can have.
    [[nodiscard]] int64_t vocabularySize() const;

    /// Of a token as the file writes it, added ones too; -1 when there is none.
    [[nodiscard]] TokenId idOf(std::string_view token) const;

private:
    /// What the file states in addition to its vocabulary.
    struct Steps {
        std::vector<SpecialToken> added;
        std::vector<TextPattern> patterns;  ///< one after the other
        bool composes = false;              ///< Unicode NFC first
        std::vector<TokenId> first;
        std::vector<TokenId> last;
    };

    class Reader;
    explicit ByteLevelTokenizer(const TokenizerJson& file);
    void append(std::string_view text, std::vector<TokenId>& ids) const;
    [[nodiscard]] std::vector<TokenId> contentOf(std::string_view text,
                                                 const std::string& item) const;

    std::string file_;
    BytePairEncoder encoder_;
    Steps steps_;
};

}  // namespace lowtide::models
