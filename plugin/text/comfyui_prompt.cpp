#include "plugin/text/comfyui_prompt.hpp"

#include "plugin/base/text.hpp"
#include "plugin/text/characters.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>
#include <utf8proc.h>

namespace lowtide::models {

namespace {

constexpr int32_t kFirstBeyondAscii = 0x80;
/// Characters of ASCII that numbers are written with: digits, signs, and letters of "infinity",
/// "nan" and exponents.
constexpr std::string_view kOfNumbers = "0123456789+-._aefintyAEFINTY";

/// The value of a decimal digit of any script; -1: it is none. Each script has its ten digits in
/// order, and rows of them begin with a zero.
int digitOf(int32_t code) {
    constexpr int kDigits = 10;
    const auto isDecimal = [](int32_t each) {
        return utf8proc_category(each) == UTF8PROC_CATEGORY_ND;
    };
    if (!isDecimal(code)) {
        return -1;
    }
    int32_t first = code;
    while (isDecimal(first - 1)) {
        --first;
    }
    return (code - first) % kDigits;
}

/// With digits and white space of all scripts as those of ASCII; nothing where there is anything
/// else beyond ASCII.
std::optional<std::string> asciiNumber(std::string_view text) {
    if (!isValidUtf8(text)) {
        return std::nullopt;
    }
    std::string ascii;
    while (!text.empty()) {
        const Character each = firstCharacter(text);
        const int digit = each.code < kFirstBeyondAscii ? -1 : digitOf(each.code);
        if (each.code < kFirstBeyondAscii) {
            ascii += text.front();
        } else if (digit >= 0) {
            ascii += static_cast<char>('0' + digit);
        } else if (isWhiteSpace(each.code)) {
            ascii += ' ';
        } else {
            return std::nullopt;
        }
        text.remove_prefix(each.bytes);
    }
    const auto begin = std::find_if_not(ascii.begin(), ascii.end(), isPromptSpace);
    const auto end = std::find_if_not(ascii.rbegin(), ascii.rend(), isPromptSpace).base();
    return begin < end ? std::string(begin, end) : std::string();
}

/// Without the underscores, each of which stands between two digits; else nothing.
std::optional<std::string> withoutUnderscores(const std::string& text) {
    std::string digits;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '_') {
            digits += text[i];
            continue;
        }
        const bool isBetween = i > 0 && i + 1 < text.size() && isDecimalDigit(text[i - 1]) &&
                               isDecimalDigit(text[i + 1]);
        if (!isBetween) {
            return std::nullopt;
        }
    }
    return digits;
}

/// Digits with at most one point, then perhaps an exponent.
bool isDecimalNumber(std::string_view text) {
    const auto digitsFrom = [&](size_t at) {
        while (at < text.size() && isDecimalDigit(text[at])) {
            ++at;
        }
        return at;
    };
    size_t at = digitsFrom(0);
    bool hasDigit = at > 0;
    if (at < text.size() && text[at] == '.') {
        const size_t end = digitsFrom(at + 1);
        hasDigit = hasDigit || end > at + 1;
        at = end;
    }
    if (hasDigit && at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        const bool hasSign = at + 1 < text.size() && (text[at + 1] == '+' || text[at + 1] == '-');
        const size_t begin = at + (hasSign ? 2 : 1);
        at = digitsFrom(begin);
        hasDigit = at > begin;
    }
    return hasDigit && at == text.size();
}

/// Of a decimal number that is no double: infinity where it is too large, 0 where it is too small.
double beyondDouble(std::string_view number) {
    const size_t mark = std::min(number.find_first_of("eE"), number.size());
    const std::string_view digits = number.substr(0, mark);
    std::string_view written = number.substr(std::min(mark + 1, number.size()));
    written.remove_prefix(written.starts_with('+') ? 1 : 0);
    int32_t exponent = 0;
    const auto [end, error] =
        std::from_chars(written.data(), written.data() + written.size(), exponent);
    if (error == std::errc::result_out_of_range) {
        return written.front() == '-' ? 0 : std::numeric_limits<double>::infinity();
    }
    const auto first = static_cast<int64_t>(digits.find_first_of("123456789"));
    const auto point = static_cast<int64_t>(std::min(digits.find('.'), digits.size()));
    return point - first + exponent > 0 ? std::numeric_limits<double>::infinity() : 0;
}

double decimalValue(const std::string& number) {
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    return error == std::errc() ? value : beyondDouble(number);
}

}  // namespace

std::optional<double> pythonNumber(std::string_view text) {
    const bool mayBe = std::all_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) >= kFirstBeyondAscii || isPromptSpace(c) ||
               kOfNumbers.find(c) != kOfNumbers.npos;
    });
    const std::optional<std::string> ascii = mayBe ? asciiNumber(text) : std::nullopt;
    std::optional<std::string> number = ascii ? withoutUnderscores(*ascii) : std::nullopt;
    if (!number || number->empty()) {
        return std::nullopt;
    }
    const double sign = number->front() == '-' ? -1 : 1;
    if (number->front() == '-' || number->front() == '+') {
        number->erase(0, 1);
    }
    const std::string word = toLower(*number);
    if (word == "inf" || word == "infinity") {
        return sign * std::numeric_limits<double>::infinity();
    }
    if (word == "nan") {
        return std::numeric_limits<double>::quiet_NaN();
    }
    return isDecimalNumber(*number) ? std::optional(sign * decimalValue(*number)) : std::nullopt;
}

namespace {

constexpr double kComfyUiRound = 1.1;
/// Bounds the work for one character, so that the time is linear.
constexpr int kDeepestRound = 64;

class ComfyUiParser {
public:
    explicit ComfyUiParser(std::string_view text) : text_(text) {}

    std::vector<WeightedPart> parse() {
        take({.begin = 0, .end = text_.size()}, 1, 0);
        return std::move(parts_);
    }

private:
    /// Bytes of the text.
    struct Range {
        size_t begin = 0;
        size_t end = 0;
    };

    [[nodiscard]] bool isBracket(size_t at, char bracket) const {
        return text_[at] == bracket && (at == 0 || text_[at - 1] != '\\');
    }

    /// Cuts a range at its outermost brackets. Behind a closing one that nothing opened the count
    /// is below zero, so that brackets lie within others that are not there.
    void take(Range range, double weight, int depth) {
        int64_t opened = 0;
        size_t from = range.begin;
        for (size_t at = range.begin; at < range.end; ++at) {
            if (isBracket(at, '(')) {
                if (opened == 0) {
                    add({.begin = from, .end = at}, weight, depth);
                    from = at;
                }
                ++opened;
            } else if (isBracket(at, ')')) {
                --opened;
                if (opened == 0) {
                    add({.begin = from, .end = at + 1}, weight, depth);
                    from = at + 1;
                }
            }
        }
        add({.begin = from, .end = range.end}, weight, depth);
    }

    /// A stretch of one weight: in brackets it is taken apart, else it is a part.
    void add(Range range, double weight, int depth) {
        if (range.begin == range.end) {
            return;
        }
        const bool isGroup = range.end - range.begin >= 2 && isBracket(range.begin, '(') &&
                             isBracket(range.end - 1, ')') && depth < kDeepestRound;
        if (!isGroup) {
            parts_.push_back({.text = plain(range), .weight = weight});
            return;
        }
        Range inside{.begin = range.begin + 1, .end = range.end - 1};
        const std::string_view text = text_.substr(inside.begin, inside.end - inside.begin);
        const size_t colon = text.rfind(':');
        const std::optional<double> stated =
            colon == text.npos || colon == 0 ? std::nullopt : pythonNumber(text.substr(colon + 1));
        if (stated) {
            inside.end = inside.begin + colon;
        }
        take(inside, stated.value_or(weight * kComfyUiRound), depth + 1);
    }

    /// Without the backslashes in front of round brackets.
    [[nodiscard]] std::string plain(Range range) const {
        std::string text;
        for (size_t at = range.begin; at < range.end; ++at) {
            const bool escapes = text_[at] == '\\' && at + 1 < range.end &&
                                 (text_[at + 1] == '(' || text_[at + 1] == ')');
            if (!escapes) {
                text += text_[at];
            }
        }
        return text;
    }

    std::string_view text_;
    std::vector<WeightedPart> parts_;
};

}  // namespace

std::vector<WeightedPart> parseComfyUiPrompt(std::string_view text) {
    return ComfyUiParser(text).parse();
}

}  // namespace lowtide::models
