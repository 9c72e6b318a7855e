#include "plugin/models/mending/composed_characters.hpp"

#include <algorithm>
#include <array>
#include <utf8proc.h>
#include <vector>

namespace lowtide::models {

namespace {

using Codes = std::vector<utf8proc_int32_t>;

constexpr char32_t kFirstChanged = 0x300;  ///< all before are composed, and take part in nothing

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
    const utf8proc_ssize_t count = utf8proc_normalize_utf32(
        codes.data(),
        static_cast<utf8proc_ssize_t>(codes.size()),
        static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    return {codes.begin(), codes.begin() + count};
}

}  // namespace lowtide::models
