#pragma once

#include "plugin/base/json.hpp"
#include "plugin/models/text/byte_pair_encoder.hpp"

#include <string>
#include <vector>

namespace lowtide::models {

/// What CLIP's tokenizer takes from a tokenizer.json, the one file of a vocabulary that
/// transformers 5 writes. How text is normalized and cut into words is not read: transformers'
/// CLIPTokenizer has its own way, as ClipWords has.
class TokenizerJson {
public:
    /// `what` names the file. Error{Corrupt} and Error{Unsupported} (no byte pairs, words that end
    /// in another way) name it and the key.
    TokenizerJson(Json file, std::string what);

    /// Token -> id.
    [[nodiscard]] const Json& vocabulary() const { return *vocabulary_; }

    /// Best first; of this object.
    [[nodiscard]] const std::vector<TokenPair>& merges() const { return merges_; }

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
};

}  // namespace lowtide::models
