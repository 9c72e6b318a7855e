#include "plugin/text/characters.hpp"

#include "plugin/base/error.hpp"

#include <array>
#include <utf8proc.h>

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

}  // namespace lowtide::models
