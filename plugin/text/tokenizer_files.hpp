#pragma once
// What the files of a tokenizer hold in addition to its pieces: tokenizer.json, settings, special
// and added tokens.

#include "plugin/base/json.hpp"
#include "plugin/base/json_fwd.hpp"
#include "plugin/text/byte_pair_encoder.hpp"
#include "plugin/text/model_files.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// The byte pairs of a tokenizer.json, the one file of a vocabulary that transformers 5 writes. How
/// text is normalized and cut into words is not read here: of CLIP's, transformers' CLIPTokenizer
/// does it in its own way, as ClipWords has.
class TokenizerJson {
public:
    /// `what` names the file. Error{Corrupt} and Error{Unsupported} (no byte pairs, words that do
    /// not end with `wordEnd`) name it and the key.
    TokenizerJson(Json file, std::string what, std::string_view wordEnd);

    /// Names the file.
    [[nodiscard]] const std::string& what() const { return what_; }

    /// Token -> id.
    [[nodiscard]] const Json& vocabulary() const { return *vocabulary_; }

    /// Best first; of this object.
    [[nodiscard]] const std::vector<TokenPair>& merges() const { return merges_; }

    /// Whether a word that is a token is taken whole, whatever the merges would make of it.
    [[nodiscard]] bool ignoresMerges() const { return ignoresMerges_; }

    /// Another part of the file ("normalizer"); nullptr where it is missing or null.
    [[nodiscard]] const Json* member(const char* key) const;

    /// A list of objects with id, content and flags; empty where the file has none.
    [[nodiscard]] const Json& addedTokens() const { return added_; }

    TokenizerJson(const TokenizerJson&) = delete;
    TokenizerJson& operator=(const TokenizerJson&) = delete;

private:
    void readMerges();
    void readAddedTokens();
    [[noreturn]] void refuse(const Message& problem) const;

    const Json file_;
    const std::string what_;
    const Json* vocabulary_ = nullptr;
    std::vector<TokenPair> merges_;
    Json added_ = Json::array();
    bool ignoresMerges_ = false;
};

/// added_tokens_decoder of a tokenizer_config.json, {"151643": {"content": "<|endoftext|>", ...}},
/// as the list that tokenizer.json has under added_tokens. Error{Corrupt} with `what`.
[[nodiscard]] Json addedInDecoder(const Json& decoder, const std::string& what);

/// A token that is found in the text as it stands, before words are made.
struct SpecialToken {
    std::string content;
    TokenId id = 0;
    bool normalized = false;  ///< looked for after normalization instead of before
};

/// What tokenizer_config.json, special_tokens_map.json, added_tokens.json and the added tokens of
/// tokenizer.json state.
struct TokenizerSettings {
    TokenId begin = 0;
    TokenId end = 0;
    TokenId padding = 0;
    TokenId unknown = 0;
    int64_t maxLength = 0;  ///< 0: not stated
    std::vector<SpecialToken> specials;
};

/// Reads them from `component` ("tokenizer"). Error{Corrupt} names the file and the token that the
/// vocabulary lacks, Error{Unsupported} what is not built (stripping, tokens outside the
/// vocabulary). `added`: as TokenizerJson::addedTokens().
[[nodiscard]] TokenizerSettings readTokenizerSettings(ModelFiles& files,
                                                      const std::string& component,
                                                      const BytePairEncoder& encoder,
                                                      const Json& added);

/// A stretch of text: a special token, or text between them (token == nullptr).
struct TextPart {
    std::string_view text;
    const SpecialToken* token = nullptr;
};

/// Cuts `text` at the special tokens whose `normalized` is the one given: leftmost first, then
/// longest.
[[nodiscard]] std::vector<TextPart> cutAtSpecials(std::string_view text,
                                                  const std::vector<SpecialToken>& specials,
                                                  bool normalized);

}  // namespace lowtide::models
