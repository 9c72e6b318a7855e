#include "plugin/text/cleaned_text.hpp"

#include "plugin/base/text.hpp"
#include "plugin/text/characters.hpp"
#include "plugin/text/mending/html_text.hpp"
#include "plugin/text/mending/mended_text.hpp"

namespace lowtide::models {

std::string cleanedText(std::string_view text) {
    if (!isValidUtf8(text)) {
        return std::string(text);  // its tokenizer refuses it
    }
    std::u32string result;
    bool isApart = false;
    for (const char32_t each : unescapedHtml(unescapedHtml(mendedText(wideText(text))))) {
        if (isPythonSpace(each)) {
            isApart = !result.empty();
            continue;
        }
        if (isApart) {
            result += U' ';
            isApart = false;
        }
        result += each;
    }
    return narrowText(result);
}

}  // namespace lowtide::models
