#include "plugin/models/text/cleaned_text.hpp"

#include "plugin/base/text.hpp"
#include "plugin/models/text/characters.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <utf8proc.h>
#include <utility>

namespace lowtide::models {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNames = {
    {{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}, {"nbsp", "\xC2\xA0"}}};
constexpr size_t kLongestReference = 32;

std::string encoded(utf8proc_int32_t code) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    const utf8proc_ssize_t count = utf8proc_encode_char(code, bytes.data());
    return {reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(count)};
}

/// The character of "#65" or "#x41"; nothing: it is none.
std::optional<std::string> numberedCharacter(std::string_view reference) {
    const bool isHex = reference.size() > 2 && (reference[1] == 'x' || reference[1] == 'X');
    const std::string_view digits = reference.substr(isHex ? 2 : 1);
    utf8proc_int32_t code = 0;
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, isHex ? 16 : 10);
    const bool isCode = problem == std::errc() && end == digits.data() + digits.size() &&
                        code > 0 && utf8proc_codepoint_valid(code);
    return isCode ? std::optional(encoded(code)) : std::nullopt;
}

std::optional<std::string> referenced(std::string_view reference) {
    if (reference.size() > 1 && reference.front() == '#') {
        return numberedCharacter(reference);
    }
    for (const auto& [name, character] : kNames) {
        if (name == reference) {
            return std::string(character);
        }
    }
    return std::nullopt;
}

/// "&amp;" becomes "&".
std::string unescaped(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const size_t end = text.front() == '&' ? text.substr(0, kLongestReference).find(';')
                                               : std::string_view::npos;
        const auto character = end == std::string_view::npos ? std::optional<std::string>()
                                                             : referenced(text.substr(1, end - 1));
        result += character ? *character : std::string(1, text.front());
        text.remove_prefix(character ? end + 1 : 1);
    }
    return result;
}

}  // namespace

std::string cleanedText(std::string_view text) {
    if (!isValidUtf8(text)) {
        return std::string(text);  // its tokenizer refuses it
    }
    const std::string whole = unescaped(unescaped(text));
    std::string result;
    bool isApart = false;
    for (size_t at = 0; at < whole.size();) {
        const Character each = firstCharacter(std::string_view(whole).substr(at));
        if (isWhiteSpace(each.code)) {
            isApart = !result.empty();
        } else {
            result += isApart ? " " : "";
            result.append(whole, at, each.bytes);
            isApart = false;
        }
        at += each.bytes;
    }
    return result;
}

}  // namespace lowtide::models
