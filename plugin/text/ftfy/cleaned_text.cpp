#include "plugin/text/ftfy/cleaned_text.hpp"

#include "plugin/base/text.hpp"
#include "plugin/text/characters.hpp"
#include "plugin/text/ftfy/html_text.hpp"
#include "plugin/text/ftfy/mojibake.hpp"
#include "plugin/text/ftfy/single_byte_encoding.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utf8proc.h>
#include <utility>

namespace lowtide::models {

/// Characters as they are typed: control characters of Latin-1 as those of Windows-1252, ligatures
/// as letters, full and half width as normal width, curly quotes as straight ones, every line break
/// as a line feed. Source: ftfy 6.3.1, fix_c1_controls to fix_line_breaks.
[[nodiscard]] std::u32string withPlainCharacters(std::u32string_view text);
/// Without escapes for terminals' colours, and without control characters that show nothing.
/// Source: ftfy 6.3.1, remove_terminal_escapes, remove_control_chars.
[[nodiscard]] std::u32string withoutControls(std::u32string_view text);

namespace {

constexpr std::array<std::pair<char32_t, std::u32string_view>, 22> kLigatures = {
    {{U'\u0132', U"IJ"},      {U'\u0133', U"ij"}, {U'\u0149', U"\u02BCn"}, {U'\u01C4', U"DŽ"},
     {U'\u01C5', U"Dž"},      {U'\u01C6', U"dž"}, {U'\u01C7', U"LJ"},      {U'\u01C8', U"Lj"},
     {U'\u01C9', U"lj"},      {U'\u01CA', U"NJ"}, {U'\u01CB', U"Nj"},      {U'\u01CC', U"nj"},
     {U'\u01F1', U"DZ"},      {U'\u01F2', U"Dz"}, {U'\u01F3', U"dz"},      {U'\uFB00', U"ff"},
     {U'\uFB01', U"fi"},      {U'\uFB02', U"fl"}, {U'\uFB03', U"ffi"},     {U'\uFB04', U"ffl"},
     {U'\uFB05', U"\u017Ft"}, {U'\uFB06', U"st"}}};

/// The letters of a ligature; empty: it is none.
std::u32string_view lettersOfLigature(char32_t code) {
    if (code < kLigatures.front().first) {
        return {};
    }
    const auto found = std::lower_bound(
        kLigatures.begin(), kLigatures.end(), code, [](const auto& each, char32_t wanted) {
            return each.first < wanted;
        });
    return found != kLigatures.end() && found->first == code ? found->second
                                                             : std::u32string_view();
}

/// A character of full or half width, as NFKC has it.
std::u32string inNormalWidth(char32_t code) {
    constexpr size_t kMost = 8;
    std::array<utf8proc_int32_t, kMost> codes{};
    int boundary = 0;
    const utf8proc_ssize_t count = utf8proc_decompose_char(
        static_cast<utf8proc_int32_t>(code),
        codes.data(),
        static_cast<utf8proc_ssize_t>(codes.size()),
        static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT),
        &boundary);
    return {codes.begin(), codes.begin() + count};
}

void appendPlain(char32_t code, std::u32string& result) {
    constexpr char32_t kIdeographicSpace = 0x3000;
    if (code == 0x02BC || (code >= 0x2018 && code <= 0x201B)) {
        result += U'\'';
    } else if (code >= 0x201C && code <= 0x201F) {
        result += U'"';
    } else if (code == 0x2028 || code == 0x2029) {
        result += U'\n';
    } else if (code == kIdeographicSpace) {
        result += U' ';
    } else if (code >= 0xFF01 && code < 0xFFF0) {
        result += inNormalWidth(code);
    } else {
        result += code;
    }
}

/// The size of "\33[...m" at the beginning, else 0.
size_t escapeBytes(std::u32string_view text) {
    if (!text.starts_with(U"\33[")) {
        return 0;
    }
    const auto* end = std::find_if_not(text.begin() + 2, text.end(), [](char32_t each) {
        return each == ';' ||
               utf8proc_category(static_cast<utf8proc_int32_t>(each)) == UTF8PROC_CATEGORY_ND;
    });
    const bool isWhole =
        end != text.end() && ((*end >= 'A' && *end <= 'Z') || (*end >= 'a' && *end <= 'z'));
    return isWhole ? static_cast<size_t>(end - text.begin()) + 1 : 0;
}

bool isInvisibleControl(char32_t code) {
    constexpr char32_t kByteOrderMark = 0xFEFF;
    return code <= 0x08 || code == 0x0B || (code >= 0x0E && code <= 0x1F) || code == 0x7F ||
           (code >= 0x206A && code <= 0x206F) || code == kByteOrderMark ||
           (code >= 0xFFF9 && code <= 0xFFFC);
}

}  // namespace

std::u32string withPlainCharacters(std::u32string_view text) {
    std::u32string result;
    result.reserve(text.size());
    for (size_t at = 0; at < text.size(); ++at) {
        const char32_t code = withoutControl(text[at]);
        if (code == '\r') {
            result += text.substr(at + 1, 1) == U"\n" ? U"" : U"\n";
            continue;
        }
        const std::u32string_view letters = lettersOfLigature(code);
        for (const char32_t each : letters) {
            appendPlain(each, result);
        }
        if (letters.empty()) {
            appendPlain(code, result);
        }
    }
    return result;
}

std::u32string withoutControls(std::u32string_view text) {
    std::u32string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const size_t escape = escapeBytes(text);
        if (escape == 0 && !isInvisibleControl(text.front())) {
            result += text.front();
        }
        text.remove_prefix(escape > 0 ? escape : 1);
    }
    return result;
}

namespace {

constexpr size_t kLongestSegment = 1'000'000;

/// A line with its end, or as much of it as is repaired at once.
std::u32string_view firstSegment(std::u32string_view text) {
    const size_t end = text.find(U'\n');
    const size_t line = end == text.npos ? text.size() : end + 1;
    return text.substr(0, std::min(line, kLongestSegment));
}

std::u32string fixedSegment(std::u32string_view segment, bool mayBeEscaped, Effort& effort) {
    std::u32string result(segment);
    bool isAgain = true;
    while (isAgain) {
        std::u32string fixed = mayBeEscaped ? unescapedWholeReferences(result) : result;
        fixed = withoutMojibake(fixed, effort);
        fixed = withPlainCharacters(fixed);
        fixed = withoutControls(fixed);
        fixed = withComposedCharacters(fixed);
        isAgain = fixed != result && effort.takes(fixed.size());
        result = std::move(fixed);
    }
    return result;
}

}  // namespace

std::u32string fixedText(std::u32string_view text) {
    Effort effort(text.size());
    bool mayBeEscaped = true;
    std::u32string result;
    while (!text.empty()) {
        const std::u32string_view segment = firstSegment(text);
        // From a "<" on it is HTML, whose names are meant.
        mayBeEscaped = mayBeEscaped && segment.find(U'<') == segment.npos;
        result += fixedSegment(segment, mayBeEscaped, effort);
        text.remove_prefix(segment.size());
    }
    return result;
}

std::string cleanedText(std::string_view text) {
    if (!isValidUtf8(text)) {
        return std::string(text);  // its tokenizer refuses it
    }
    std::u32string result;
    bool isApart = false;
    for (const char32_t each : unescapedHtml(unescapedHtml(fixedText(wideText(text))))) {
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
