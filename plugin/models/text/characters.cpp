#include "plugin/models/text/characters.hpp"

#include "plugin/base/error.hpp"

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

}  // namespace lowtide::models
