#include "plugin/text/byte_pair_encoder.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"

#include <queue>

#include <algorithm>
#include <iterator>

namespace lowtide::models {

namespace {

constexpr size_t kLongestShownValue = 60;  ///< bytes of a value in a message
constexpr uint8_t kFirstOf0x100 = 0xC4;    ///< of the UTF-8 of U+0100

/// UTF-8 of a code point below 0x800.
std::string utf8(int codePoint) {
    if (codePoint < 0x80) {
        return std::string(1, static_cast<char>(codePoint));
    }
    return {static_cast<char>(0xC0 | (codePoint >> 6)),
            static_cast<char>(0x80 | (codePoint & 0x3F))};
}

uint64_t pairKey(TokenId left, TokenId right) {
    return (static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32) |
           static_cast<uint32_t>(right);
}

[[noreturn]] void refuseTokenizer(const std::string& what, const Message& problem) {
    throw Error(ErrorKind::Corrupt,
                message("{}: {}", what, problem),
                message("get the tokenizer's files again"));
}

/// A run of characters that are one token by now; runs are linked, merged ones are skipped.
struct Symbol {
    TokenId id;
    int32_t previous;
    int32_t next;
    bool alive = true;
};

/// A pair that may be merged: best rank first, then leftmost.
struct Candidate {
    int32_t rank;
    int32_t left;
    TokenId leftId;
    TokenId rightId;
    TokenId result;

    bool operator<(const Candidate& other) const {
        return rank != other.rank ? rank > other.rank : left > other.left;
    }
};

}  // namespace

// Printable Latin-1 bytes stand for themselves, the others for U+0100 and following.
std::array<std::string, 256> byteAlphabet() {
    std::array<std::string, 256> alphabet;
    int next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
        const bool printable =
            (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
        alphabet[static_cast<size_t>(byte)] = utf8(printable ? byte : next++);
    }
    return alphabet;
}

std::vector<std::string> bytesById() {
    std::vector<std::string> all;
    const std::array<std::string, 256> alphabet = byteAlphabet();
    for (const bool itself : {true, false}) {
        std::copy_if(alphabet.begin(),
                     alphabet.end(),
                     std::back_inserter(all),
                     [&](const std::string& character) {
                         return (static_cast<uint8_t>(character[0]) < kFirstOf0x100) == itself;
                     });
    }
    return all;
}

std::vector<TokenPair> pairsOf(std::string_view mergesFile) {
    std::vector<TokenPair> pairs;
    while (!mergesFile.empty()) {
        const size_t end = std::min(mergesFile.find('\n'), mergesFile.size());
        std::string_view line = mergesFile.substr(0, end);
        mergesFile.remove_prefix(std::min(end + 1, mergesFile.size()));
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        if (line.empty() || line.starts_with("#version")) {
            continue;
        }
        const size_t space = line.find(' ');
        pairs.emplace_back(line.substr(0, space),
                           space == line.npos ? std::string_view() : line.substr(space + 1));
    }
    return pairs;
}

BytePairEncoder::BytePairEncoder(const Json& vocabulary,
                                 const std::vector<TokenPair>& merges,
                                 const EncoderSources& sources,
                                 EncoderRules rules)
    : rules_(std::move(rules)), alphabet_(byteAlphabet()) {
    if (!vocabulary.is_object()) {
        refuseTokenizer(sources.vocabulary, message("the vocabulary is no JSON object"));
    }
    ids_ = TokenTable(vocabulary.size());
    for (const auto& [token, value] : vocabulary.items()) {
        const int64_t id = value.is_number_integer() ? value.get<int64_t>() : -1;
        if (id < 0 || id > kLargestTokenId) {
            refuseTokenizer(sources.vocabulary,
                            message("the token {} has the id {}",
                                    quotedName(token),
                                    value.dump(-1, ' ', true).substr(0, kLongestShownValue)));
        }
        ids_.add(token, static_cast<TokenId>(id));
        vocabularySize_ = std::max(vocabularySize_, static_cast<TokenId>(id) + 1);
    }
    for (size_t byte = 0; byte < alphabet_.size(); ++byte) {
        byteIds_[byte] = idOf(alphabet_[byte]);
        lastByteIds_[byte] = idOf(alphabet_[byte] + rules_.wordEnd);
    }
    addMerges(merges, sources);
}

void BytePairEncoder::addMerges(const std::vector<TokenPair>& merges,
                                const EncoderSources& sources) {
    int32_t rank = 0;
    std::string joined;
    merges_.reserve(merges.size());
    for (const auto& [left, right] : merges) {
        joined.assign(left).append(right);
        const TokenId leftId = idOf(left);
        const TokenId rightId = idOf(right);
        const TokenId result = idOf(joined);
        if (leftId < 0 || rightId < 0 || result < 0) {
            refuseTokenizer(sources.merges,
                            message("it joins {}, which the vocabulary does not have",
                                    quotedName(std::string(left) + " " + std::string(right))));
        }
        merges_.insert_or_assign(pairKey(leftId, rightId), Merge{rank++, result});
    }
}

const BytePairEncoder::Merge* BytePairEncoder::mergeOf(TokenId left, TokenId right) const {
    const auto found = merges_.find(pairKey(left, right));
    return found == merges_.end() ? nullptr : &found->second;
}

bool BytePairEncoder::knowsEveryByte() const {
    return std::none_of(byteIds_.begin(), byteIds_.end(), [](TokenId id) { return id < 0; });
}

TokenId BytePairEncoder::wholeWord(std::string_view word) const {
    std::string token;
    for (const char byte : word) {
        token += alphabet_[static_cast<uint8_t>(byte)];
    }
    return idOf(token + rules_.wordEnd);
}

void BytePairEncoder::encode(std::string_view word, std::vector<TokenId>& ids) const {
    if (const TokenId whole = rules_.takesWholeWords ? wholeWord(word) : -1; whole >= 0) {
        ids.push_back(whole);
        return;
    }
    std::vector<Symbol> symbols;
    symbols.reserve(word.size());
    const auto count = static_cast<int32_t>(word.size());
    for (int32_t i = 0; i < count; ++i) {
        const auto byte = static_cast<uint8_t>(word[static_cast<size_t>(i)]);
        const TokenId id = i + 1 == count ? lastByteIds_[byte] : byteIds_[byte];
        symbols.push_back(
            {.id = id < 0 ? unknown_ : id, .previous = i - 1, .next = i + 1 == count ? -1 : i + 1});
    }
    std::priority_queue<Candidate> queue;
    const auto consider = [&](int32_t left) {
        const int32_t right = left < 0 ? -1 : symbols[left].next;
        if (right < 0) {
            return;
        }
        if (const Merge* merge = mergeOf(symbols[left].id, symbols[right].id)) {
            queue.push({merge->rank, left, symbols[left].id, symbols[right].id, merge->result});
        }
    };
    for (int32_t i = 0; i < count; ++i) {
        consider(i);
    }
    while (!queue.empty()) {
        const Candidate best = queue.top();
        queue.pop();
        Symbol& left = symbols[best.left];
        const int32_t rightIndex = left.next;
        if (!left.alive || left.id != best.leftId || rightIndex < 0 ||
            symbols[rightIndex].id != best.rightId) {
            continue;  // one of the two was merged with another neighbour meanwhile
        }
        left.id = best.result;
        left.next = symbols[rightIndex].next;
        symbols[rightIndex].alive = false;
        if (left.next >= 0) {
            symbols[left.next].previous = best.left;
        }
        consider(left.previous);
        consider(best.left);
    }
    for (int32_t i = count == 0 ? -1 : 0; i >= 0; i = symbols[i].next) {
        ids.push_back(symbols[i].id);
    }
}

}  // namespace lowtide::models
