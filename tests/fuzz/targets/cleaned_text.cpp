#include "plugin/text/ftfy/cleaned_text.hpp"

#include "plugin/base/text.hpp"
#include "plugin/text/characters.hpp"
#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"

namespace lowtide::fuzz::cleaned_text_target {

namespace {

using namespace models;

/// One space between words, none at the ends, and no control character.
void checkWords(std::u32string_view cleaned) {
    bool isApart = true;
    for (const char32_t each : cleaned) {
        const bool isSpace = isPythonSpace(each);
        require(!isSpace || (each == ' ' && !isApart), "white space is one space between words");
        require(each >= ' ' && each != 0x7F, "there is no control character of ASCII");
        isApart = isSpace;
    }
    require(cleaned.empty() || !isApart, "there is no space at the end");
}

/// A fixed line remains as it is. With a "<" names of characters are meant as they stand, and it
/// may become another character.
void checkFixed(std::u32string_view text) {
    const std::u32string fixed = fixedText(text);
    require(fixed.size() <= 4 * text.size(), "texts grow by the parts of their letters alone");
    const bool isOneLine = fixed.find(U'\n') == fixed.npos && text.find(U'\n') == text.npos;
    require(!isOneLine || text.find(U'<') != text.npos || fixedText(fixed) == fixed,
            "what is fixed remains as it is");
}

}  // namespace

bool runInput(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::string cleaned = cleanedText(text);
    if (!isValidUtf8(text)) {
        require(cleaned == text, "what is no UTF-8 is left alone");
        return false;
    }
    require(isValidUtf8(cleaned), "cleaned texts are UTF-8");
    checkWords(wideText(cleaned));
    checkFixed(wideText(text));
    return true;
}

[[maybe_unused]] const bool isEntered = enterTarget("cleaned_text", runInput);

}  // namespace lowtide::fuzz::cleaned_text_target
