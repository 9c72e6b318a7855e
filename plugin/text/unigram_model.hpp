#pragma once

#include "plugin/text/byte_pair_encoder.hpp"

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
    [[nodiscard]] TokenId idOf(std::string_view piece) const;

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
    std::unordered_map<std::string_view, TokenId> ids_;
    TokenId unknown_;
    bool hasByteTokens_;
    double unknownScore_ = 0;
    std::unordered_map<int32_t, size_t> longest_;  ///< bytes of a piece, by its first character
};

}  // namespace lowtide::models
