#include "plugin/text/sentence_pieces.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/text/characters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utf8proc.h>
#include <utility>

namespace lowtide::models {

namespace {

constexpr double kUnknownPenalty = 10;  ///< below the least likely piece
constexpr size_t kMostPieceBytes = 512;

[[noreturn]] void refusePiece(const std::string& what, const Message& problem) {
    throw Error(ErrorKind::Corrupt,
                message("{}: {}", what, problem),
                message("get the tokenizer's files again"));
}

std::string byteToken(unsigned char byte) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "<0x%02X>", byte);
    return text.data();
}

/// The best row of pieces up to a position.
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
        refusePiece(what, message("the model has {} pieces", pieces_.size()));
    }
    if (unknown < 0 || unknown >= static_cast<int64_t>(pieces_.size())) {
        refusePiece(what, message("the id of unknown text is {}", unknown));
    }
    ids_ = TokenTable(pieces_.size());
    double least = 0;
    for (size_t id = 0; id < pieces_.size(); ++id) {
        const UnigramPiece& piece = pieces_[id];
        if (!std::isfinite(piece.score) || piece.text.size() > kMostPieceBytes) {
            refusePiece(what, message("the piece {} is too long, or has no score", id));
        }
        if (!piece.text.empty() && !ids_.add(piece.text, static_cast<TokenId>(id))) {
            refusePiece(what, message("the piece {} comes twice", quotedName(piece.text)));
        }
        least = std::min(least, piece.score);
        if (!piece.text.empty()) {
            size_t& longest = longest_[firstCharacter(piece.text).code];
            longest = std::max(longest, piece.text.size());
        }
    }
    unknownScore_ = least - kUnknownPenalty;
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
            if (const TokenId piece = idOf(word.substr(begin, end - begin)); piece >= 0) {
                const double score = pieces_[static_cast<size_t>(piece)].score;
                best[end].offer(before + score, begin, piece);
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

namespace {

constexpr size_t kMostTextBytes = 256;  ///< of what replaces a character; NFKC's longest has 33
constexpr size_t kMostMappedBytes = 5;  ///< of a grapheme that is looked up as a whole

/// Parts of a unit of the double array.
uint32_t labelOf(uint32_t unit) {
    return unit & ((1U << 31) | 0xFFU);
}

uint32_t offsetOf(uint32_t unit) {
    return (unit >> 10) << ((unit & (1U << 9)) >> 6);
}

bool hasValue(uint32_t unit) {
    return (unit >> 8 & 1U) != 0;
}

uint32_t valueOf(uint32_t unit) {
    return unit & ((1U << 31) - 1);
}

/// Consonants of scripts in which a virama joins the next one to the grapheme; first and last.
/// Source: Unicode 15.1, Indic_Conjunct_Break.
constexpr std::pair<int32_t, int32_t> kConjunctConsonants[] = {
    {0x915, 0x939}, {0x958, 0x95F}, {0x978, 0x97F}, {0x995, 0x9A8}, {0x9AA, 0x9B0}, {0x9B2, 0x9B2},
    {0x9B6, 0x9B9}, {0x9DC, 0x9DD}, {0x9DF, 0x9DF}, {0x9F0, 0x9F1}, {0xA95, 0xAA8}, {0xAAA, 0xAB0},
    {0xAB2, 0xAB3}, {0xAB5, 0xAB9}, {0xAF9, 0xAF9}, {0xB15, 0xB28}, {0xB2A, 0xB30}, {0xB32, 0xB33},
    {0xB35, 0xB39}, {0xB5C, 0xB5D}, {0xB5F, 0xB5F}, {0xB71, 0xB71}, {0xC15, 0xC28}, {0xC2A, 0xC39},
    {0xC58, 0xC5A}, {0xD15, 0xD3A}};
constexpr int32_t kViramas[] = {0x94D, 0x9CD, 0xACD, 0xB4D, 0xC4D, 0xD4D};
constexpr int32_t kZeroWidthJoiner = 0x200D;

/// Rule GB9c of Unicode's text segmentation, which utf8proc 2.8 does not have: a consonant behind a
/// consonant, with a virama among the marks between them.
class ConjunctRule {
public:
    void take(int32_t code) {
        if (isConsonant(code)) {
            state_ = State::Consonant;
        } else if (state_ != State::None && isOneOf(kViramas, code)) {
            state_ = State::Joining;
        } else if (!isMark(code)) {
            state_ = State::None;
        }
    }

    [[nodiscard]] bool joins(int32_t next) const {
        return state_ == State::Joining && isConsonant(next);
    }

private:
    enum class State : uint8_t { None, Consonant, Joining };

    static bool isConsonant(int32_t code) {
        return std::any_of(
            std::begin(kConjunctConsonants), std::end(kConjunctConsonants), [&](const auto& range) {
                return code >= range.first && code <= range.second;
            });
    }

    template <class Codes>
    static bool isOneOf(const Codes& codes, int32_t code) {
        return std::find(std::begin(codes), std::end(codes), code) != std::end(codes);
    }

    static bool isMark(int32_t code) {
        return code == kZeroWidthJoiner || utf8proc_get_property(code)->combining_class != 0;
    }

    State state_ = State::None;
};

/// Bytes of the grapheme at the beginning.
size_t graphemeBytes(std::string_view text) {
    Character last = firstCharacter(text);
    size_t bytes = last.bytes;
    utf8proc_int32_t state = 0;
    ConjunctRule conjunct;
    conjunct.take(last.code);
    while (bytes < text.size()) {
        const Character next = firstCharacter(text.substr(bytes));
        const bool breaks = utf8proc_grapheme_break_stateful(last.code, next.code, &state);
        if (breaks && !conjunct.joins(next.code)) {
            break;
        }
        conjunct.take(next.code);
        bytes += next.bytes;
        last = next;
    }
    return bytes;
}

}  // namespace

CharacterMap::CharacterMap(std::string_view bytes, const std::string& what) {
    if (bytes.empty()) {
        return;
    }
    uint32_t trieBytes = 0;
    if (bytes.size() >= sizeof(trieBytes)) {
        std::memcpy(&trieBytes, bytes.data(), sizeof(trieBytes));
    }
    const size_t left = bytes.size() - std::min(bytes.size(), sizeof(trieBytes));
    if (trieBytes == 0 || trieBytes % sizeof(uint32_t) != 0 || trieBytes > left ||
        (trieBytes < left && bytes.back() != '\0')) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: precompiled_charsmap is cut off", what),
                    message("get the tokenizer's files again"));
    }
    trie_.resize(trieBytes / sizeof(uint32_t));
    std::memcpy(trie_.data(), bytes.data() + sizeof(trieBytes), trieBytes);
    texts_ = bytes.substr(sizeof(trieBytes) + trieBytes);
    requireTexts(what);
}

/// Every text is UTF-8, and short: one character must not expand into a long text.
void CharacterMap::requireTexts(const std::string& what) const {
    for (size_t at = 0; at < texts_.size();) {
        const std::string_view text = texts_.c_str() + at;
        const bool isLong = text.size() > kMostTextBytes;
        if (isLong || !isValidUtf8(text)) {
            throw Error(ErrorKind::Corrupt,
                        isLong
                            ? message("{}: precompiled_charsmap has a text that is too long", what)
                            : message("{}: precompiled_charsmap has a text that is no UTF-8", what),
                        message("get the tokenizer's files again"));
        }
        at += text.size() + 1;
    }
}

const char* CharacterMap::replacement(std::string_view text) const {
    size_t position = offsetOf(trie_.front());
    for (const char each : text) {
        const auto byte = static_cast<unsigned char>(each);
        position ^= byte;
        if (byte == 0 || position >= trie_.size() || labelOf(trie_[position]) != byte) {
            return nullptr;
        }
        const uint32_t unit = trie_[position];
        position ^= offsetOf(unit);
        if (hasValue(unit)) {
            const size_t at = position < trie_.size() ? valueOf(trie_[position]) : texts_.size();
            return at < texts_.size() ? texts_.data() + at : nullptr;
        }
    }
    return nullptr;
}

std::string CharacterMap::applied(std::string_view text) const {
    if (trie_.empty()) {
        return std::string(text);
    }
    std::string result;
    while (!text.empty()) {
        const size_t bytes = graphemeBytes(text);
        std::string_view grapheme = text.substr(0, bytes);
        text.remove_prefix(bytes);
        if (const char* found = bytes <= kMostMappedBytes ? replacement(grapheme) : nullptr) {
            result.append(found);
            continue;
        }
        while (!grapheme.empty()) {
            const std::string_view character = grapheme.substr(0, firstCharacter(grapheme).bytes);
            const char* found = replacement(character);
            result.append(found ? std::string_view(found) : character);
            grapheme.remove_prefix(character.size());
        }
    }
    return result;
}

namespace {

/// Numbers of fields in sentencepiece_model.proto.
enum Field : uint64_t {
    kPieces = 1,
    kTrainer = 2,
    kNormalizer = 3,
    kPieceText = 1,
    kPieceScore = 2,
    kModelType = 3,
    kUnknownId = 40,
    kCharacterMap = 2
};

constexpr uint64_t kUnigram = 1;
constexpr int64_t kMostSentinels = 1 << 16;

/// The fields of one message of protocol buffers, one after the other.
class MessageReader {
public:
    struct Value {
        uint64_t field = 0;
        uint64_t number = 0;     ///< a varint, or the bits of a fixed one
        std::string_view bytes;  ///< of a text or message
    };

    MessageReader(std::string_view message, const std::string& what)
        : left_(message), what_(what) {}

    std::optional<Value> next() {
        if (left_.empty()) {
            return std::nullopt;
        }
        const uint64_t key = varint();
        Value value{.field = key >> 3, .number = 0, .bytes = {}};
        switch (key & 7U) {
            case 0:
                value.number = varint();
                break;
            case 1:
                value.number = fixed(8);
                break;
            case 2:
                value.bytes = taken(varint());
                break;
            case 5:
                value.number = fixed(4);
                break;
            default:
                refuse();
        }
        return value;
    }

private:
    [[noreturn]] void refuse() const {
        throw Error(ErrorKind::Corrupt,
                    message("{} is cut off, or no model of sentencepiece", what_),
                    message("get the tokenizer's files again"));
    }

    std::string_view taken(uint64_t count) {
        if (count > left_.size()) {
            refuse();
        }
        const std::string_view bytes = left_.substr(0, static_cast<size_t>(count));
        left_.remove_prefix(static_cast<size_t>(count));
        return bytes;
    }

    uint64_t fixed(size_t size) {
        uint64_t number = 0;
        std::memcpy(&number, taken(size).data(), size);
        return number;
    }

    uint64_t varint() {
        uint64_t number = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto byte = static_cast<unsigned char>(taken(1).front());
            number |= static_cast<uint64_t>(byte & 0x7FU) << shift;
            if (byte < 0x80) {
                return number;
            }
        }
        refuse();
    }

    std::string_view left_;
    const std::string& what_;
};

UnigramPiece pieceOf(std::string_view bytes, const std::string& what) {
    UnigramPiece piece;
    MessageReader reader(bytes, what);
    while (const auto value = reader.next()) {
        if (value->field == kPieceText) {
            piece.text = value->bytes;
        } else if (value->field == kPieceScore) {
            const auto bits = static_cast<uint32_t>(value->number);
            float score = 0;
            std::memcpy(&score, &bits, sizeof(score));
            piece.score = score;
        }
    }
    if (!isValidUtf8(piece.text)) {
        throw Error(ErrorKind::Corrupt,
                    message("{} has a piece that is no UTF-8", what),
                    message("get the tokenizer's files again"));
    }
    return piece;
}

void readTrainer(std::string_view bytes, const std::string& what, SentencePieces& read) {
    MessageReader reader(bytes, what);
    while (const auto value = reader.next()) {
        if (value->field == kUnknownId) {
            read.unknown = static_cast<int64_t>(value->number);
        } else if (value->field == kModelType && value->number != kUnigram) {
            throw Error(ErrorKind::Unsupported,
                        message("{} is no unigram model, the only kind that is built", what),
                        message("use a checkpoint with another tokenizer"));
        }
    }
}

}  // namespace

SentencePieces readSentencePieces(std::string_view bytes, const std::string& what) {
    SentencePieces read;
    MessageReader reader(bytes, what);
    while (const auto value = reader.next()) {
        if (value->field == kPieces) {
            read.pieces.push_back(pieceOf(value->bytes, what));
        } else if (value->field == kTrainer) {
            readTrainer(value->bytes, what, read);
        } else if (value->field == kNormalizer) {
            MessageReader normalizer(value->bytes, what);
            while (const auto setting = normalizer.next()) {
                if (setting->field == kCharacterMap) {
                    read.characterMap = setting->bytes;
                }
            }
        }
    }
    return read;
}

int64_t sentinelsIn(const Json& settings, const std::string& what) {
    return integerInRange(
        JsonReader(settings, what), "extra_ids", kUsualSentinels, 0, kMostSentinels);
}

}  // namespace lowtide::models
