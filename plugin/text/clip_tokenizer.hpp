#pragma once
// CLIP's tokenizer: how it cuts words, and its vocabulary made of merges.

#include "plugin/base/json.hpp"
#include "plugin/text/prompt_chunks.hpp"
#include "plugin/text/text_pattern.hpp"
#include "plugin/text/tokenizer_files.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// Unicode NFC. `text` must be valid UTF-8.
[[nodiscard]] std::string composedText(std::string_view text);

/// Splits text as CLIP's tokenizer does: Unicode NFC, lower case, then letters, single digits,
/// English contractions and runs of other characters; white space only separates. Source:
/// transformers 5.23 CLIPTokenizer.
class ClipWords {
public:
    ClipWords();

    /// NFC and lower case. `text` must be valid UTF-8.
    [[nodiscard]] static std::string normalize(std::string_view text);
    /// The words of normalized text, as views into it.
    [[nodiscard]] std::vector<std::string_view> split(std::string_view normalized) const;

private:
    TextPattern pattern_;
};

/// The two files of a CLIP tokenizer.
struct ClipVocabulary {
    Json tokens;         ///< vocab.json: token -> id
    std::string merges;  ///< merges.txt
};

/// CLIP's vocabulary of `size` tokens, made of its merges (resources/tokenizers/clip): bytes, bytes
/// at the end of a word, merges, begin and end of text. A smaller text encoder knows the first
/// merges only; a larger one has rows that no text reaches. Error{Unsupported} below 514 tokens.
/// Source: OpenAI CLIP, simple_tokenizer.py.
[[nodiscard]] ClipVocabulary clipVocabulary(std::string_view merges,
                                            int64_t size,
                                            const std::string& what);

class TokenizerJson;

/// CLIP's tokenizer. Ids equal transformers 5.23 CLIPTokenizer with padding "max_length" and
/// truncation: literal
/// "<|endoftext|>" and "<|startoftext|>" become their ids.
class ClipTokenizer {
public:
    /// Reads vocab.json and merges.txt of `component`, or tokenizer.json where one of them is
    /// missing, and its configs. `defaultLength` holds where the config states no length.
    /// Error{Corrupt}, Error{NotFound} and Error{Unsupported} name the file.
    ClipTokenizer(ModelFiles& files, const std::string& component, int64_t defaultLength);

    /// Error{InvalidInput} when `text` is no UTF-8; `item` names the parameter to blame.
    [[nodiscard]] TokenizedPrompt tokenize(std::string_view text, const std::string& item) const {
        return tokenize(text, length(), item);
    }

    /// The same in `length` tokens, at least 3.
    [[nodiscard]] TokenizedPrompt tokenize(std::string_view text,
                                           int64_t length,
                                           const std::string& item) const;
    /// All tokens of `text`, none around them and none left out. Errors as tokenize().
    [[nodiscard]] std::vector<TokenId> tokensOf(std::string_view text,
                                                const std::string& item) const;

    /// Begin, end, padding and length.
    [[nodiscard]] const TokenizerSettings& settings() const { return settings_; }

    /// Of a comma as a word; -1 when the vocabulary has none.
    [[nodiscard]] TokenId comma() const { return encoder_.idOf(",</w>"); }

    /// What messages call the file of its vocabulary.
    [[nodiscard]] const std::string& file() const { return file_; }

    [[nodiscard]] int64_t length() const { return settings_.maxLength; }

    [[nodiscard]] int64_t vocabularySize() const { return encoder_.vocabularySize(); }

private:
    /// `json`: nullptr where the vocabulary is in files of its own.
    ClipTokenizer(ModelFiles& files,
                  const std::string& component,
                  int64_t defaultLength,
                  const TokenizerJson* json);
    void appendWords(std::string_view text, std::vector<TokenId>& ids) const;

    std::string file_;
    BytePairEncoder encoder_;
    TokenizerSettings settings_;
    ClipWords words_;
};

}  // namespace lowtide::models
