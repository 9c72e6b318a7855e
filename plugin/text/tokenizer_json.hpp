#pragma once

#include "plugin/base/json.hpp"
#include "plugin/text/byte_pair_encoder.hpp"

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

    /// Whether a word that is a token is taken whole, whatever the merges say.
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
    [[noreturn]] void refuse(const std::string& problem) const;

    const Json file_;
    const std::string what_;
    const Json* vocabulary_ = nullptr;
    std::vector<TokenPair> merges_;
    Json added_ = Json::array();
    bool ignoresMerges_ = false;
};

}  // namespace lowtide::models
