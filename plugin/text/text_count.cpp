#include "plugin/text/text_count.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::models {

namespace {

/// A beginning of a text that is surely shorter than what encoders take.
constexpr size_t kShortBytes = 256;

bool isWordByteOfCount(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool isContinuation(char c) noexcept {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// The nearest position at `at` or behind it that is no middle of a word or of a character; words
/// of letters beyond ASCII may end behind each, since many scripts have no spaces.
size_t wordEnd(std::string_view text, size_t at) {
    while (at < text.size() &&
           (isContinuation(text[at]) ||
            (at > 0 && isWordByteOfCount(text[at - 1]) && isWordByteOfCount(text[at])))) {
        ++at;
    }
    return at;
}

int64_t tokensRead(const TokenizedPrompt& prompt) {
    return std::count(prompt.mask.begin(), prompt.mask.end(), 1);
}

}  // namespace

Json toJson(const TextCount& count) {
    return {{"parameter", count.parameter},
            {"role", count.role},
            {"encoder", count.encoder},
            {"chunks", count.chunks},
            {"room", count.capacity},
            {"cut", count.cutTokens},
            {"read", count.readBytes}};
}

int64_t bytesRead(std::string_view text,
                  const std::function<bool(std::string_view beginning)>& isCut) {
    size_t read = 0;
    size_t cut = std::min(text.size(), wordEnd(text, kShortBytes));
    while (cut < text.size() && !isCut(text.substr(0, cut))) {
        read = cut;
        cut = std::min(text.size(), wordEnd(text, 2 * cut));
    }
    while (read < cut) {
        const size_t middle = wordEnd(text, read + std::max<size_t>(1, (cut - read) / 2));
        const size_t tried = middle < cut ? middle : wordEnd(text, read + 1);
        if (tried >= cut) {
            break;
        }
        (isCut(text.substr(0, tried)) ? cut : read) = tried;
    }
    return static_cast<int64_t>(read);
}

TextCount countText(std::string parameter,
                    std::string_view role,
                    std::string encoder,
                    std::string_view text,
                    const std::function<TokenizedPrompt(std::string_view text)>& tokenize) {
    const TokenizedPrompt whole = tokenize(text);
    const int64_t around = tokensRead(tokenize(""));
    TextCount count{.parameter = std::move(parameter),
                    .role = std::string(role),
                    .encoder = std::move(encoder),
                    .chunks = {tokensRead(whole) - around},
                    .capacity = static_cast<int64_t>(whole.ids.size()) - around,
                    .cutTokens = whole.cutTokens};
    if (count.cutTokens > 0) {
        count.readBytes = bytesRead(
            text, [&](std::string_view beginning) { return tokenize(beginning).cutTokens > 0; });
    }
    return count;
}

}  // namespace lowtide::models
