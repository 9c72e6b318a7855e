#include "plugin/models/text/character_map.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/models/text/characters.hpp"

#include <algorithm>
#include <cstring>
#include <utf8proc.h>

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

/// Bytes of the grapheme at the beginning.
size_t graphemeBytes(std::string_view text) {
    Character last = firstCharacter(text);
    size_t bytes = last.bytes;
    utf8proc_int32_t state = 0;
    while (bytes < text.size()) {
        const Character next = firstCharacter(text.substr(bytes));
        if (utf8proc_grapheme_break_stateful(last.code, next.code, &state)) {
            break;
        }
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
