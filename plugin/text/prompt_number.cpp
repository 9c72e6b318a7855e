#include "plugin/text/prompt_number.hpp"

#include <charconv>
#include <cmath>

namespace lowtide::models {

namespace {

bool isDigit(char c) noexcept {
    return c >= '0' && c <= '9';
}

/// Digits with at most one point among them; 0 when there is no digit.
size_t unsignedLength(std::string_view text) {
    size_t length = 0;
    bool hasPoint = false;
    bool hasDigit = false;
    for (; length < text.size(); ++length) {
        const char c = text[length];
        if (c == '.' && !hasPoint) {
            hasPoint = true;
        } else if (isDigit(c)) {
            hasDigit = true;
        } else {
            break;
        }
    }
    return hasDigit ? length : 0;
}

}  // namespace

std::optional<PromptNumber> numberAt(std::string_view text, bool isSigned) {
    const bool hasSign = isSigned && !text.empty() && (text.front() == '+' || text.front() == '-');
    const std::string_view digits = text.substr(hasSign ? 1 : 0);
    const size_t length = unsignedLength(digits);
    PromptNumber number{.value = 0, .length = length + (hasSign ? 1 : 0)};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + length, number.value);
    if (length == 0 || error != std::errc() || !std::isfinite(number.value)) {
        return std::nullopt;
    }
    if (hasSign && text.front() == '-') {
        number.value = -number.value;
    }
    return number;
}

bool isPromptSpace(char c) noexcept {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

}  // namespace lowtide::models
