#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/text/token_table.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lowtide::models {

/// The character, as UTF-8, that stands for each byte in tokens. Source: GPT-2's encoder.py.
[[nodiscard]] std::array<std::string, 256> byteAlphabet();

/// The same characters in the order of their tokens' ids, as GPT-2, CLIP and Qwen number them:
/// those that are bytes themselves come first, then those from U+0100 that stand for the others.
[[nodiscard]] std::vector<std::string> bytesById();

/// Two tokens that are joined to one.
using TokenPair = std::pair<std::string_view, std::string_view>;

/// The pairs of merges.txt, lines "left right"; of its text.
[[nodiscard]] std::vector<TokenPair> pairsOf(std::string_view mergesFile);

/// Where the parts of an encoder come from, for messages: "tokenizer/vocab.json".
struct EncoderSources {
    std::string vocabulary;
    std::string merges;
};

/// How an encoder makes tokens of a word.
struct EncoderRules {
    std::string wordEnd = "</w>";  ///< behind its last byte; may be empty
    bool takesWholeWords = false;  ///< a word that is a token is not merged from its bytes
};

/// What CLIP's vocabulary writes behind the last byte of a word.
inline constexpr std::string_view kClipWordEnd = "</w>";

/// Byte-level byte pair encoding. Source: Sennrich et al. 2016, GPT-2's byte alphabet; ids equal
/// those of tokenizers' BPE model.
class BytePairEncoder {
public:
    /// `vocabulary`: JSON object of token -> id; `merges`: best first. Error{Corrupt} names the
    /// source and the token or pair.
    BytePairEncoder(const Json& vocabulary,
                    const std::vector<TokenPair>& merges,
                    const EncoderSources& sources,
                    EncoderRules rules = {});

    [[nodiscard]] TokenId vocabularySize() const { return vocabularySize_; }

    /// Id of a whole token, -1 when there is none.
    [[nodiscard]] TokenId idOf(std::string_view token) const { return ids_.idOf(token); }

    /// Whether every byte within a word has a token.
    [[nodiscard]] bool knowsEveryByte() const;

    /// Bytes that have no token of their own become `unknown`.
    void setUnknown(TokenId unknown) { unknown_ = unknown; }

    /// Appends the tokens of one word (any bytes, not empty).
    void encode(std::string_view word, std::vector<TokenId>& ids) const;

private:
    struct Merge {
        int32_t rank;
        TokenId result;
    };

    void addMerges(const std::vector<TokenPair>& merges, const EncoderSources& sources);
    [[nodiscard]] const Merge* mergeOf(TokenId left, TokenId right) const;

    /// A word that is a token, by the characters of its bytes; -1: it is none.
    [[nodiscard]] TokenId wholeWord(std::string_view word) const;

    EncoderRules rules_;
    TokenTable ids_;
    std::unordered_map<uint64_t, Merge> merges_;
    std::array<std::string, 256> alphabet_;
    std::array<TokenId, 256> byteIds_{};
    std::array<TokenId, 256> lastByteIds_{};
    TokenId vocabularySize_ = 0;
    TokenId unknown_ = 0;
};

}  // namespace lowtide::models
