#include "plugin/text/characters.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <array>
#include <utf8proc.h>
#include <vector>

namespace lowtide::models {

Character firstCharacter(std::string_view text) {
    Character first;
    const utf8proc_ssize_t read =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                         static_cast<utf8proc_ssize_t>(text.size()),
                         &first.code);
    LOWTIDE_ASSERT(read > 0);
    first.bytes = static_cast<size_t>(read);
    return first;
}

bool isWhiteSpace(int32_t code) {
    constexpr int32_t kNextLine = 0x85;
    const utf8proc_category_t category = utf8proc_category(code);
    return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
           category == UTF8PROC_CATEGORY_ZP || (code >= '\t' && code <= '\r') || code == kNextLine;
}

bool isPythonSpace(char32_t code) {
    return isWhiteSpace(static_cast<int32_t>(code)) || (code >= 0x1C && code <= 0x1F);
}

std::u32string wideText(std::string_view text) {
    std::u32string wide;
    wide.reserve(text.size());
    while (!text.empty()) {
        const Character each = firstCharacter(text);
        wide += static_cast<char32_t>(each.code);
        text.remove_prefix(each.bytes);
    }
    return wide;
}

std::string narrowText(std::u32string_view text) {
    std::string narrow;
    narrow.reserve(text.size());
    for (const char32_t each : text) {
        std::array<utf8proc_uint8_t, 4> bytes{};
        const utf8proc_ssize_t count =
            utf8proc_encode_char(static_cast<utf8proc_int32_t>(each), bytes.data());
        narrow.append(reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(count));
    }
    return narrow;
}

namespace {

using Codes = std::vector<utf8proc_int32_t>;

constexpr char32_t kFirstChanged = 0x300;  ///< all before are composed, and take part in nothing
/// In front of Hangul's final consonants and none of them: it composes with nothing, and utf8proc
/// 2.8 takes it for the lack of one.
constexpr utf8proc_int32_t kNoFinal = 0x11A7;

Codes decomposed(std::u32string_view text) {
    constexpr size_t kMost = 8;
    Codes codes;
    codes.reserve(text.size());
    int boundary = 0;
    for (const char32_t each : text) {
        std::array<utf8proc_int32_t, kMost> parts{};
        const utf8proc_ssize_t count =
            utf8proc_decompose_char(static_cast<utf8proc_int32_t>(each),
                                    parts.data(),
                                    static_cast<utf8proc_ssize_t>(parts.size()),
                                    UTF8PROC_DECOMPOSE,
                                    &boundary);
        codes.insert(codes.end(), parts.begin(), parts.begin() + count);
    }
    return codes;
}

int classOf(utf8proc_int32_t code) {
    return utf8proc_get_property(code)->combining_class;
}

/// Marks behind one letter by their classes, those of one class as they are.
void orderMarks(Codes& codes) {
    const auto isMark = [](utf8proc_int32_t code) { return classOf(code) != 0; };
    for (auto at = codes.begin(); at != codes.end();) {
        const auto marks = std::find_if(at, codes.end(), isMark);
        at = std::find_if_not(marks, codes.end(), isMark);
        std::stable_sort(marks, at, [](utf8proc_int32_t a, utf8proc_int32_t b) {
            return classOf(a) < classOf(b);
        });
    }
}

}  // namespace

std::u32string withComposedCharacters(std::u32string_view text) {
    if (std::all_of(text.begin(), text.end(), [](char32_t each) { return each < kFirstChanged; })) {
        return std::u32string(text);
    }
    Codes codes = decomposed(text);
    orderMarks(codes);
    std::u32string composed;
    for (auto begin = codes.begin(); begin != codes.end();) {
        const auto end = std::find(begin, codes.end(), kNoFinal);
        const utf8proc_ssize_t count = utf8proc_normalize_utf32(
            &*begin,
            end - begin,
            static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
        composed.append(begin, begin + count);
        const auto next =
            std::find_if(end, codes.end(), [](auto code) { return code != kNoFinal; });
        composed.append(end, next);
        begin = next;
    }
    return composed;
}

}  // namespace lowtide::models
