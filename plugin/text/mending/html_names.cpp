#include "plugin/text/mending/html_names.hpp"

#include "plugin/base/text.hpp"
#include "plugin/text/mending/html_name_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utf8proc.h>
#include <utility>

namespace lowtide::models {

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

/// The word at a place of a table, which has a space behind each.
std::string_view wordAt(std::string_view table, size_t place) {
    const size_t begin = table.rfind(' ', place) + 1;  // npos + 1 is 0
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

}  // namespace lowtide::models
