#include "plugin/text/character_map.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/text/characters.hpp"

#include <algorithm>
#include <cstring>
#include <utf8proc.h>
#include <utility>

namespace lowtide::models {

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
                    what + ": precompiled_charsmap is cut off",
                    "get the tokenizer's files again");
    }
    trie_.resize(trieBytes / sizeof(uint32_t));
    std::memcpy(trie_.data(), bytes.data() + sizeof(trieBytes), trieBytes);
    texts_ = bytes.substr(sizeof(trieBytes) + trieBytes);
    requireTexts(what);
}

/// Every text is UTF-8, and short: one character must not become a book.
void CharacterMap::requireTexts(const std::string& what) const {
    for (size_t at = 0; at < texts_.size();) {
        const std::string_view text = texts_.c_str() + at;
        if (text.size() > kMostTextBytes || !isValidUtf8(text)) {
            throw Error(ErrorKind::Corrupt,
                        what + ": precompiled_charsmap has a text that is " +
                            (text.size() > kMostTextBytes ? "too long" : "no UTF-8"),
                        "get the tokenizer's files again");
        }
        at += text.size() + 1;
    }
}

const char* CharacterMap::replacement(std::string_view text) const {
    size_t place = offsetOf(trie_.front());
    for (const char each : text) {
        const auto byte = static_cast<unsigned char>(each);
        place ^= byte;
        if (byte == 0 || place >= trie_.size() || labelOf(trie_[place]) != byte) {
            return nullptr;
        }
        const uint32_t unit = trie_[place];
        place ^= offsetOf(unit);
        if (hasValue(unit)) {
            const size_t at = place < trie_.size() ? valueOf(trie_[place]) : texts_.size();
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

}  // namespace lowtide::models
