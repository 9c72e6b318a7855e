#include "plugin/text/ftfy/html_text.hpp"

#include "plugin/base/text.hpp"
#include "plugin/text/ftfy/single_byte_encoding.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utf8proc.h>
#include <utility>

namespace lowtide::models {

/// The one or two characters that HTML names `name` ("amp", "nGt"); empty: there is no such name.
[[nodiscard]] std::u32string htmlCharacters(std::string_view name);
/// The length of the longest name at the beginning of `text` that HTML reads without a semicolon
/// ("notit": 3); 0: it begins with none.
[[nodiscard]] size_t bareHtmlName(std::string_view text);
/// As htmlCharacters() for a name in capitals that HTML does not have ("NTILDE" for "ntilde"): the
/// characters in capitals; empty: HTML has the name, or not in small letters, or reads its
/// beginning. Source: ftfy 6.3.1, chardata.py.
[[nodiscard]] std::u32string capitalHtmlCharacters(std::string_view name);

namespace {

constexpr size_t kLongestBareName = 6;
constexpr size_t kShortestBareName = 2;

/// Small letters with more than one capital, by their names.
constexpr std::array<std::pair<std::string_view, std::u32string_view>, 7> kLongCapitals = {
    {{"ffilig", U"FFI"},
     {"fflig", U"FF"},
     {"ffllig", U"FFL"},
     {"filig", U"FI"},
     {"fllig", U"FL"},
     {"napos", U"\u02BCN"},
     {"szlig", U"SS"}}};

/// The word at a position of a table, which has a space behind each.
std::string_view wordAt(std::string_view table, size_t position) {
    const size_t begin = table.rfind(' ', position) + 1;  // npos + 1 is 0
    return table.substr(begin, table.find(' ', begin) - begin);
}

std::string_view nameOf(std::string_view word) {
    return word.substr(0, word.find('='));
}

/// The word of `name`; empty: the table has none.
std::string_view wordOf(std::string_view table, std::string_view name) {
    while (!table.empty()) {
        // The last space is behind the last word.
        const std::string_view word = wordAt(table, table.size() / 2 - 1);
        const auto begin = static_cast<size_t>(word.data() - table.data());
        const std::string_view middle = nameOf(word);
        if (middle == name) {
            return word;
        }
        table = name < middle ? table.substr(0, begin) : table.substr(begin + word.size() + 1);
    }
    return {};
}

}  // namespace

std::u32string htmlCharacters(std::string_view name) {
    const std::string_view word = wordOf(kHtmlNames, name);
    std::u32string characters;
    for (size_t at = nameOf(word).size(); at < word.size();) {
        uint32_t code = 0;
        const char* end =
            std::from_chars(word.data() + at + 1, word.data() + word.size(), code, 16).ptr;
        characters += static_cast<char32_t>(code);
        at = static_cast<size_t>(end - word.data());
    }
    return characters;
}

size_t bareHtmlName(std::string_view text) {
    for (size_t size = std::min(text.size(), kLongestBareName); size >= kShortestBareName; --size) {
        if (!wordOf(kBareHtmlNames, text.substr(0, size)).empty()) {
            return size;
        }
    }
    return 0;
}

std::u32string capitalHtmlCharacters(std::string_view name) {
    const std::string small = toLower(name);
    const bool hasSmall =
        std::any_of(name.begin(), name.end(), [](char each) { return each >= 'a' && each <= 'z'; });
    if (hasSmall || bareHtmlName(name) > 0 || !wordOf(kHtmlNames, name).empty()) {
        return {};
    }
    for (const auto& [each, capitals] : kLongCapitals) {
        if (each == small) {
            return std::u32string(capitals);
        }
    }
    std::u32string characters = htmlCharacters(small);
    for (char32_t& each : characters) {
        each = static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(each)));
    }
    return characters;
}

namespace {

constexpr char32_t kLastCode = 0x10FFFF;
constexpr char32_t kReplacement = 0xFFFD;
constexpr size_t kMostLetters = 32;       ///< of a name, as CPython looks for it
constexpr size_t kMostWholeLetters = 24;  ///< as ftfy does

/// Digits at the beginning of `text`, and the number they write; it stops growing above all codes.
struct Digits {
    size_t count = 0;
    char32_t number = 0;
};

std::optional<char32_t> valueOfDigit(char32_t each, char32_t base) {
    if (each >= '0' && each <= '9') {
        return each - '0';
    }
    const char32_t small = each | 0x20;
    return base == 16 && each < 0x80 && small >= 'a' && small <= 'f'
               ? std::optional(small - 'a' + 10)
               : std::nullopt;
}

Digits digitsOf(std::u32string_view text, char32_t base) {
    Digits digits;
    for (const char32_t each : text) {
        const std::optional<char32_t> value = valueOfDigit(each, base);
        if (!value) {
            break;
        }
        digits.number = std::min(digits.number * base + *value, kLastCode + 1);
        ++digits.count;
    }
    return digits;
}

bool isNoCharacter(char32_t code) {
    return (code >= 0x01 && code <= 0x08) || code == 0x0B || (code >= 0x0E && code <= 0x1F) ||
           code == 0x7F || (code >= 0xFDD0 && code <= 0xFDEF) || (code & 0xFFFE) == 0xFFFE;
}

void appendNumbered(char32_t code, std::u32string& result) {
    if (code == 0 || (code >= 0xD800 && code <= 0xDFFF) || code > kLastCode) {
        result += kReplacement;
    } else if (!isNoCharacter(code)) {
        result += withoutControl(code);
    }
}

/// A numbered reference at the beginning of `text`, behind "&"; a size of 0: there is none.
struct NumberedReference {
    size_t size = 0;  ///< with its semicolon
    bool isWhole = false;
    char32_t code = 0;
};

NumberedReference numberedReference(std::u32string_view text) {
    if (text.empty() || text.front() != '#') {
        return {};
    }
    const bool isHex = text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
    const size_t begin = isHex ? 2 : 1;
    const Digits digits = digitsOf(text.substr(begin), isHex ? 16 : 10);
    if (digits.count == 0) {
        return {};
    }
    const size_t end = begin + digits.count;
    const bool isWhole = end < text.size() && text[end] == ';';
    return {.size = end + (isWhole ? 1 : 0), .isWhole = isWhole, .code = digits.number};
}

/// The letters that may be a name, at most kMostLetters: HTML's end before any of "\t\n\f <&#;".
std::string lettersOf(std::u32string_view text) {
    std::string letters;
    for (const char32_t each : text.substr(0, kMostLetters)) {
        const bool isAscii = each < 0x80;
        if (isAscii && std::string_view("\t\n\f <&#;").find(static_cast<char>(each)) !=
                           std::string_view::npos) {
            break;
        }
        letters += isAscii ? static_cast<char>(each) : '?';  // no name has one
    }
    return letters;
}

bool isAlphanumeric(char32_t each) {
    return (each >= '0' && each <= '9') || (each >= 'A' && each <= 'Z') ||
           (each >= 'a' && each <= 'z');
}

/// The named reference at the beginning of `text`, behind "&": appends its characters. What it has
/// read; 0: there is none.
size_t appendNamed(std::u32string_view text, std::u32string& result) {
    const std::string letters = lettersOf(text);
    if (letters.size() < text.size() && text[letters.size()] == ';') {
        const std::u32string characters = htmlCharacters(letters);
        if (!characters.empty()) {
            result += characters;
            return letters.size() + 1;
        }
    }
    const size_t bare = bareHtmlName(letters);
    result += bare > 0 ? htmlCharacters(std::string_view(letters).substr(0, bare)) : U"";
    return bare;
}

/// As appendNamed(), with a semicolon alone.
size_t appendWhole(std::u32string_view text, std::u32string& result) {
    if (const NumberedReference numbered = numberedReference(text); numbered.size > 0) {
        const size_t letters = numbered.size - 2;  // without "#" and ";"
        if (!numbered.isWhole || letters > kMostWholeLetters || numbered.code == ';') {
            return 0;
        }
        appendNumbered(numbered.code, result);
        return numbered.size;
    }
    size_t size = 0;
    std::string name;
    while (size < std::min(text.size(), kMostWholeLetters) && isAlphanumeric(text[size])) {
        name += static_cast<char>(text[size]);
        ++size;
    }
    if (size == 0 || size == text.size() || text[size] != ';') {
        return 0;
    }
    std::u32string characters = htmlCharacters(name);
    characters = characters.empty() ? capitalHtmlCharacters(name) : characters;
    result += characters;
    return characters.empty() ? 0 : size + 1;
}

size_t appendReference(std::u32string_view text, std::u32string& result) {
    if (const NumberedReference numbered = numberedReference(text); numbered.size > 0) {
        appendNumbered(numbered.code, result);
        return numbered.size;
    }
    return appendNamed(text, result);
}

/// Reads the reference behind a "&", as appendNamed().
using AppendReference = size_t (*)(std::u32string_view text, std::u32string& result);

std::u32string withoutReferences(std::u32string_view text, AppendReference append) {
    std::u32string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const size_t mark = std::min(text.find(U'&'), text.size());
        result += text.substr(0, mark);
        text.remove_prefix(mark);
        if (text.empty()) {
            break;
        }
        const size_t size = append(text.substr(1), result);
        result += size == 0 ? U"&" : U"";
        text.remove_prefix(1 + size);
    }
    return result;
}

}  // namespace

std::u32string unescapedHtml(std::u32string_view text) {
    return withoutReferences(text, appendReference);
}

std::u32string unescapedWholeReferences(std::u32string_view text) {
    return withoutReferences(text, appendWhole);
}

}  // namespace lowtide::models
