#pragma once

#include "plugin/base/json.hpp"
#include "plugin/text/model_files.hpp"
#include "plugin/text/prompt_chunks.hpp"
#include "plugin/text/sentence_pieces.hpp"
#include "plugin/text/tokenizer_files.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// A tokenizer of T5 and its kin: words with a mark before them, as the most likely row of pieces,
/// and the end token behind all. From a spiece.model, or else from a tokenizer.json in any spelling
/// that was published: as transformers 5.23 reads both (T5Tokenizer), pieces and replaced
/// characters count, and every run of white space parts words. Unknown text has the id that the
/// file states (docs/decisions/0067).
class UnigramTokenizer {
public:
    /// Reads `component`. Error{Corrupt}, Error{NotFound} and Error{Unsupported} name the file and
    /// the setting that is not built.
    UnigramTokenizer(ModelFiles& files, const std::string& component);

    [[nodiscard]] TokenId vocabularySize() const;

    [[nodiscard]] TokenId end() const { return end_; }

    [[nodiscard]] TokenId padding() const { return padding_; }

    /// What messages call the file that it was read from.
    [[nodiscard]] const std::string& file() const { return file_; }

    /// All tokens of `text`, without the end token. Error{InvalidInput} on `item` when the text is
    /// no UTF-8.
    [[nodiscard]] std::vector<TokenId> tokensOf(std::string_view text,
                                                const std::string& item) const;
    /// The same in `length` tokens: cut in front of the end token, padded.
    [[nodiscard]] TokenizedPrompt tokenize(std::string_view text,
                                           int64_t length,
                                           const std::string& item) const;

private:
    struct Parts {
        std::string file;
        std::vector<UnigramPiece> pieces{};
        int64_t unknown = 0;
        bool hasByteTokens = false;
        std::string characterMap{};
        std::vector<SpecialToken> added{};
    };

    explicit UnigramTokenizer(Parts parts);
    static Parts partsOf(ModelFiles& files, const std::string& component);
    static Parts partsOfJson(const Json& json, const std::string& what);
    static Parts partsOfPieces(ModelFiles& files, const std::string& component);
    void appendWords(std::string_view normalized, std::vector<TokenId>& ids) const;
    [[nodiscard]] TokenId requiredToken(const char* content) const;

    std::string file_;
    UnigramModel model_;
    CharacterMap characters_;
    std::vector<SpecialToken> added_;
    TokenId end_;
    TokenId padding_;
};

}  // namespace lowtide::models
