#include "plugin/text/unigram_model.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/text/characters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace lowtide::models {

namespace {

constexpr double kUnknownPenalty = 10;  ///< below the least likely piece
constexpr size_t kMostPieceBytes = 512;

[[noreturn]] void refusePiece(const std::string& what, const std::string& problem) {
    throw Error(ErrorKind::Corrupt, what + ": " + problem, "get the tokenizer's files again");
}

std::string byteToken(unsigned char byte) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "<0x%02X>", byte);
    return text.data();
}

/// The best row of pieces up to a place.
struct Best {
    double score = 0;
    size_t begin = 0;  ///< of its last piece
    TokenId last = 0;
    bool isReached = false;

    void offer(double other, size_t from, TokenId id) {
        if (!isReached || other > score) {
            *this = {.score = other, .begin = from, .last = id, .isReached = true};
        }
    }
};

}  // namespace

UnigramModel::UnigramModel(std::vector<UnigramPiece> pieces,
                           int64_t unknown,
                           bool hasByteTokens,
                           const std::string& what)
    : pieces_(std::move(pieces)),
      unknown_(static_cast<TokenId>(unknown)),
      hasByteTokens_(hasByteTokens) {
    if (pieces_.empty() || pieces_.size() > static_cast<size_t>(kLargestTokenId)) {
        refusePiece(what, "the model has " + std::to_string(pieces_.size()) + " pieces");
    }
    if (unknown < 0 || unknown >= static_cast<int64_t>(pieces_.size())) {
        refusePiece(what, "the id of unknown text is " + std::to_string(unknown));
    }
    double least = 0;
    ids_.reserve(pieces_.size());
    for (size_t id = 0; id < pieces_.size(); ++id) {
        const UnigramPiece& piece = pieces_[id];
        if (!std::isfinite(piece.score) || piece.text.size() > kMostPieceBytes) {
            refusePiece(what, "the piece " + std::to_string(id) + " is too long, or has no score");
        }
        if (!piece.text.empty() && !ids_.emplace(piece.text, static_cast<TokenId>(id)).second) {
            refusePiece(what, "the piece " + quotedName(piece.text) + " comes twice");
        }
        least = std::min(least, piece.score);
        if (!piece.text.empty()) {
            size_t& longest = longest_[firstCharacter(piece.text).code];
            longest = std::max(longest, piece.text.size());
        }
    }
    unknownScore_ = least - kUnknownPenalty;
}

TokenId UnigramModel::idOf(std::string_view piece) const {
    const auto found = ids_.find(piece);
    return found == ids_.end() ? -1 : found->second;
}

void UnigramModel::encode(std::string_view word, std::vector<TokenId>& ids) const {
    std::vector<Best> best(word.size() + 1);
    size_t character = 0;  // bytes of the one at `begin`
    for (size_t begin = 0; begin < word.size(); begin += character) {
        const Character first = firstCharacter(word.substr(begin));
        const double before = best[begin].score;
        character = first.bytes;
        const auto longest = longest_.find(first.code);
        const size_t most = longest == longest_.end() ? 0 : longest->second;
        bool hasCharacter = false;
        for (size_t end = begin; end < word.size();) {
            end += firstCharacter(word.substr(end)).bytes;
            if (end - begin > most) {
                break;
            }
            if (const auto found = ids_.find(word.substr(begin, end - begin));
                found != ids_.end()) {
                const double score = pieces_[static_cast<size_t>(found->second)].score;
                best[end].offer(before + score, begin, found->second);
                hasCharacter = hasCharacter || end == begin + character;
            }
        }
        if (!hasCharacter) {
            best[begin + character].offer(before + unknownScore_, begin, unknown_);
        }
    }
    std::vector<std::pair<size_t, TokenId>> row;  // where pieces begin, the last one first
    for (size_t end = word.size(); end > 0; end = best[end].begin) {
        row.emplace_back(best[end].begin, best[end].last);
    }
    std::reverse(row.begin(), row.end());
    appendRow(word, row, ids);
}

void UnigramModel::appendRow(std::string_view word,
                             const std::vector<std::pair<size_t, TokenId>>& row,
                             std::vector<TokenId>& ids) const {
    for (size_t i = 0; i < row.size(); ++i) {
        if (row[i].second != unknown_) {
            ids.push_back(row[i].second);
            continue;
        }
        const size_t begin = row[i].first;
        while (i + 1 < row.size() && row[i + 1].second == unknown_) {
            ++i;
        }
        const size_t end = i + 1 < row.size() ? row[i + 1].first : word.size();
        appendUnknown(word.substr(begin, end - begin), ids);
    }
}

void UnigramModel::appendUnknown(std::string_view text, std::vector<TokenId>& ids) const {
    if (const TokenId piece = idOf(text); piece >= 0) {  // written as the unknown one itself is
        ids.push_back(piece);
        return;
    }
    std::vector<TokenId> bytes;
    for (size_t i = 0; hasByteTokens_ && i < text.size(); ++i) {
        bytes.push_back(idOf(byteToken(static_cast<unsigned char>(text[i]))));
    }
    const bool areThere =
        !bytes.empty() && std::find(bytes.begin(), bytes.end(), -1) == bytes.end();
    if (!areThere) {
        bytes = {unknown_};
    }
    ids.insert(ids.end(), bytes.begin(), bytes.end());
}

}  // namespace lowtide::models
