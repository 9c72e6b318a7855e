#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/text/byte_pair_encoder.hpp"
#include "plugin/text/model_files.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// A token that is found in the text as it stands, before words are made.
struct SpecialToken {
    std::string content;
    TokenId id = 0;
    bool normalized = false;  ///< looked for after normalization instead of before
};

/// What tokenizer_config.json, special_tokens_map.json, added_tokens.json and the added tokens of
/// tokenizer.json say.
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
