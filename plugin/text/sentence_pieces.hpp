#pragma once
// Sentencepiece's model: its file, the likeliest row of its pieces, and the characters that it
// replaces before.

#include "plugin/base/json_fwd.hpp"
#include "plugin/text/token_table.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lowtide::models {

/// A piece of text that has a token, and the log of how likely it is.
struct UnigramPiece {
    std::string text;
    double score = 0;
};

/// Text as the most likely row of pieces. Source: Kudo 2018; ids equal those of tokenizers' Unigram
/// model, whose ties go to the shorter last piece.
class UnigramModel {
public:
    /// `pieces`: by id. `unknown`: the id of what has no piece. `hasByteTokens`: unknown characters
    /// become the tokens "<0x00>" of their bytes where all are there. Error{Corrupt} with `what`
    /// names a piece that comes twice, a score that is no number, an id that is none.
    UnigramModel(std::vector<UnigramPiece> pieces,
                 int64_t unknown,
                 bool hasByteTokens,
                 const std::string& what);

    /// -1: there is no such piece.
    [[nodiscard]] TokenId idOf(std::string_view piece) const { return ids_.idOf(piece); }

    [[nodiscard]] TokenId size() const { return static_cast<TokenId>(pieces_.size()); }

    /// Appends the tokens of `word`, valid UTF-8. Neighbouring unknown characters are one token.
    void encode(std::string_view word, std::vector<TokenId>& ids) const;

private:
    /// `row`: where pieces begin, and their ids.
    void appendRow(std::string_view word,
                   const std::vector<std::pair<size_t, TokenId>>& row,
                   std::vector<TokenId>& ids) const;
    void appendUnknown(std::string_view text, std::vector<TokenId>& ids) const;

    std::vector<UnigramPiece> pieces_;
    TokenTable ids_;
    TokenId unknown_;
    bool hasByteTokens_;
    double unknownScore_ = 0;
    std::unordered_map<int32_t, size_t> longest_;  ///< bytes of a piece, by its first character
};

/// What sentencepiece's files replace in a text before it is cut: a double-array trie of what is
/// replaced, and a text for each. Source: sentencepiece's normalizer.cc, Darts-clone; applied as
/// tokenizers 0.23 does (Precompiled), to whole graphemes of up to five bytes, else to characters.
class CharacterMap {
public:
    /// `bytes`: precompiled_charsmap; empty: nothing is replaced. Error{Corrupt} with `what` where
    /// it is cut off, or replaces by what is no short UTF-8.
    CharacterMap(std::string_view bytes, const std::string& what);

    /// `text` must be valid UTF-8; the result is.
    [[nodiscard]] std::string applied(std::string_view text) const;

private:
    void requireTexts(const std::string& what) const;
    /// What stands for `text`, by the shortest beginning of it that the trie has; nullptr: nothing.
    [[nodiscard]] const char* replacement(std::string_view text) const;

    std::vector<uint32_t> trie_;
    std::string texts_;  ///< each ends with a zero
};

/// What tokenizers take of a spiece.model.
struct SentencePieces {
    std::vector<UnigramPiece> pieces;
    int64_t unknown = 0;
    std::string characterMap;  ///< precompiled_charsmap
};

/// Reads a serialized ModelProto. Error{Corrupt} with `what` where it is cut off or no such
/// message, Error{Unsupported} for a model that is no unigram one. Source: sentencepiece's
/// sentencepiece_model.proto.
[[nodiscard]] SentencePieces readSentencePieces(std::string_view bytes, const std::string& what);

/// Tokens that transformers puts behind the pieces of T5's kind where nothing else is stated.
inline constexpr int64_t kUsualSentinels = 100;

/// How many of them a tokenizer_config.json asks for (extra_ids). Error{Corrupt} with `what`.
[[nodiscard]] int64_t sentinelsIn(const Json& settings, const std::string& what);

}  // namespace lowtide::models
