#pragma once

#include "plugin/base/json_fwd.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lowtide::models {

using TokenId = int32_t;

/// The character, as UTF-8, that stands for each byte in tokens. Source: GPT-2's encoder.py.
[[nodiscard]] std::array<std::string, 256> byteAlphabet();

/// Byte-level byte pair encoding with "</w>" at the end of words. Source: Sennrich et al. 2016,
/// GPT-2's byte alphabet; ids equal those of tokenizers' BPE model with end_of_word_suffix "</w>".
class BytePairEncoder {
public:
    /// `vocabulary`: JSON object of token -> id (vocab.json); `merges`: lines "left right"
    /// (merges.txt), best first. `what` names the tokenizer in messages. Error{Corrupt} names the
    /// token or line.
    BytePairEncoder(const Json& vocabulary, std::string_view merges, const std::string& what);

    [[nodiscard]] TokenId vocabularySize() const { return vocabularySize_; }

    /// Id of a whole token, -1 when there is none.
    [[nodiscard]] TokenId idOf(std::string_view token) const;

    /// Bytes that have no token of their own become `unknown`.
    void setUnknown(TokenId unknown) { unknown_ = unknown; }

    /// Appends the tokens of one word (any bytes, not empty).
    void encode(std::string_view word, std::vector<TokenId>& ids) const;

private:
    struct Merge {
        int32_t rank;
        TokenId result;
    };

    void addMerges(std::string_view merges, const std::string& what);
    [[nodiscard]] const Merge* mergeOf(TokenId left, TokenId right) const;

    std::unordered_map<std::string, TokenId> ids_;
    std::unordered_map<uint64_t, Merge> merges_;
    std::array<TokenId, 256> byteIds_{};
    std::array<TokenId, 256> lastByteIds_{};
    TokenId vocabularySize_ = 0;
    TokenId unknown_ = 0;
};

}  // namespace lowtide::models
