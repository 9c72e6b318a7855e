#include "plugin/models/text/clip_words.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/models/mending/composed_characters.hpp"
#include "plugin/models/text/characters.hpp"

#include <utf8proc.h>

namespace lowtide::models {

namespace {

constexpr const char* kPattern = R"((<\|(?:start|end)oftext\|>))"
                                 R"(|'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+)";

constexpr utf8proc_int32_t kCapitalIWithDot = 0x130;

void appendCodePoint(utf8proc_int32_t codePoint, std::string& text) {
    utf8proc_uint8_t bytes[4];
    const utf8proc_ssize_t count = utf8proc_encode_char(codePoint, bytes);
    text.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(count));
}

std::string lowered(const std::string& text) {
    std::string result;
    result.reserve(text.size());
    const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    auto left = static_cast<utf8proc_ssize_t>(text.size());
    while (left > 0) {
        utf8proc_int32_t codePoint = 0;
        const utf8proc_ssize_t used = utf8proc_iterate(at, left, &codePoint);
        LOWTIDE_ASSERT(used > 0);
        if (codePoint == kCapitalIWithDot) {
            result += "i\xCC\x87";  // the one unconditional lower case of two code points
        } else {
            appendCodePoint(utf8proc_tolower(codePoint), result);
        }
        at += used;
        left -= used;
    }
    return result;
}

/// "<|endoftext|>" that is no special token falls into three words.
void appendBrackets(std::string_view word, std::vector<std::string_view>& words) {
    words.push_back(word.substr(0, 2));
    words.push_back(word.substr(2, word.size() - 4));
    words.push_back(word.substr(word.size() - 2));
}

}  // namespace

std::string composedText(std::string_view text) {
    if (!isValidUtf8(text)) {
        throw Error(ErrorKind::InvalidInput,
                    std::string("the text cannot be normalized: ") +
                        utf8proc_errmsg(UTF8PROC_ERROR_INVALIDUTF8),
                    "write it in UTF-8",
                    "prompt");
    }
    return narrowText(withComposedCharacters(wideText(text)));
}

ClipWords::ClipWords() : pattern_(kPattern, "CLIP") {}

std::string ClipWords::normalize(std::string_view text) {
    return lowered(composedText(text));
}

std::vector<std::string_view> ClipWords::split(std::string_view normalized) const {
    TextPattern::Matches matches(pattern_, normalized);
    std::vector<std::string_view> words;
    while (const std::optional<TextPattern::Match> match = matches.next()) {
        const std::string_view word = normalized.substr(match->begin, match->end - match->begin);
        if (match->hasGroup) {
            appendBrackets(word, words);
        } else {
            words.push_back(word);
        }
    }
    return words;
}

}  // namespace lowtide::models
