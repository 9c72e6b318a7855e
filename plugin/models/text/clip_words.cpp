#include "plugin/models/text/clip_words.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include "plugin/base/error.hpp"

#include <cstdlib>
#include <pcre2.h>
#include <utf8proc.h>

namespace lowtide::models {

namespace {

// \s is written out: PCRE2 counts U+180E as space, the reference's engine (Unicode White_Space)
// does not.
#define LOWTIDE_SPACES \
    R"(\x{9}-\x{d}\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})"
constexpr const char* kPattern =
    R"((<\|(?:start|end)oftext\|>))"
    R"(|'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^)" LOWTIDE_SPACES R"(\p{L}\p{N}]+)";
#undef LOWTIDE_SPACES

constexpr utf8proc_int32_t kCapitalIWithDot = 0x130;

struct Free {
    void operator()(void* memory) const { std::free(memory); }
};

void appendCodePoint(utf8proc_int32_t codePoint, std::string& text) {
    utf8proc_uint8_t bytes[4];
    const utf8proc_ssize_t count = utf8proc_encode_char(codePoint, bytes);
    text.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(count));
}

std::string composed(std::string_view text) {
    utf8proc_uint8_t* raw = nullptr;
    const utf8proc_ssize_t count =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                     static_cast<utf8proc_ssize_t>(text.size()),
                     &raw,
                     static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    const std::unique_ptr<utf8proc_uint8_t, Free> owner(raw);
    if (count < 0) {
        throw Error(ErrorKind::InvalidInput,
                    std::string("the text cannot be normalized: ") + utf8proc_errmsg(count),
                    "write it in UTF-8",
                    "prompt");
    }
    return {reinterpret_cast<const char*>(raw), static_cast<size_t>(count)};
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

struct ClipWords::Pattern {
    struct FreeCode {
        void operator()(pcre2_code* compiled) const { pcre2_code_free(compiled); }
    };

    struct FreeMatch {
        void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
    };

    std::unique_ptr<pcre2_code, FreeCode> code;
};

ClipWords::ClipWords() : pattern_(std::make_unique<Pattern>()) {
    int error = 0;
    PCRE2_SIZE offset = 0;
    pattern_->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(kPattern),
                                       PCRE2_ZERO_TERMINATED,
                                       PCRE2_UTF | PCRE2_UCP,
                                       &error,
                                       &offset,
                                       nullptr));
    LOWTIDE_ASSERT(pattern_->code != nullptr);
}

ClipWords::~ClipWords() = default;
ClipWords::ClipWords(ClipWords&&) noexcept = default;

std::string ClipWords::normalize(std::string_view text) {
    return lowered(composed(text));
}

std::vector<std::string_view> ClipWords::split(std::string_view normalized) const {
    const std::unique_ptr<pcre2_match_data, Pattern::FreeMatch> match(
        pcre2_match_data_create_from_pattern(pattern_->code.get(), nullptr));
    std::vector<std::string_view> words;
    PCRE2_SIZE from = 0;
    while (from < normalized.size()) {
        const int found = pcre2_match(pattern_->code.get(),
                                      reinterpret_cast<PCRE2_SPTR>(normalized.data()),
                                      normalized.size(),
                                      from,
                                      from == 0 ? 0 : PCRE2_NO_UTF_CHECK,
                                      match.get(),
                                      nullptr);
        if (found == PCRE2_ERROR_NOMATCH) {
            break;
        }
        if (found < 0) {
            throw Error(ErrorKind::InvalidInput,
                        "the text could not be split into words (PCRE2 error " +
                            std::to_string(found) + ")",
                        "write it in UTF-8",
                        "prompt");
        }
        const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(match.get());
        const std::string_view word = normalized.substr(ends[0], ends[1] - ends[0]);
        if (found > 1) {
            appendBrackets(word, words);
        } else {
            words.push_back(word);
        }
        from = ends[1];
    }
    return words;
}

}  // namespace lowtide::models
