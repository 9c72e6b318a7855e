#include "plugin/text/a1111_prompt.hpp"

#include "plugin/text/prompt_number.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace lowtide::models {

namespace {

constexpr double kRound = 1.1;
constexpr double kSquare = 1 / 1.1;
constexpr std::string_view kBreak = "BREAK";
/// Bounds the work for one part, so that the time is linear.
constexpr size_t kDeepest = 64;

/// Letters, digits, underscore; every byte of a character beyond ASCII counts as a letter.
bool isWordByte(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

bool isWordAt(std::string_view text, size_t at, size_t length) {
    const size_t end = at + length;
    return (at == 0 || !isWordByte(text[at - 1])) && (end == text.size() || !isWordByte(text[end]));
}

class A1111Parser {
public:
    explicit A1111Parser(std::string_view text) : text_(text) {}

    std::vector<WeightedPart> parse() {
        while (!text_.empty()) {
            text_.remove_prefix(takeOne());
        }
        // What was opened last lies within what was opened before it, so the order is free.
        for (const size_t first : round_) {
            multiply(first, kRound);
        }
        for (const size_t first : square_) {
            multiply(first, kSquare);
        }
        return merged();
    }

private:
    using Opened = std::vector<size_t>;  ///< the number of parts at each opening bracket

    /// Handles what the text begins with and says how many bytes that was.
    size_t takeOne() {
        const char c = text_.front();
        if (c == '\\') {
            return takeEscape();
        }
        if (c == '(' && open(round_)) {
            return 1;
        }
        if (c == '[' && open(square_)) {
            return 1;
        }
        if (c == ')' && close(round_, kRound)) {
            return 1;
        }
        if (c == ']' && close(square_, kSquare)) {
            return 1;
        }
        if (c == ':') {
            return takeColon();
        }
        return takePlain();
    }

    size_t takeEscape() {
        constexpr std::string_view kEscaped = "()[]\\";
        const bool escapes = text_.size() > 1 && kEscaped.find(text_[1]) != kEscaped.npos;
        if (!escapes) {
            return 1;  // a backslash before anything else is dropped
        }
        parts_.push_back({.text = std::string(1, text_[1])});
        return 2;
    }

    bool open(Opened& opened) {
        if (opened.size() == kDeepest) {
            return false;
        }
        opened.push_back(parts_.size());
        return true;
    }

    bool close(Opened& opened, double weight) {
        if (opened.empty()) {
            return false;
        }
        multiply(opened.back(), weight);
        opened.pop_back();
        return true;
    }

    /// ":1.3)" closes a round bracket with that weight; any other colon is text.
    size_t takeColon() {
        size_t at = spacesFrom(1);
        const std::optional<PromptNumber> weight = numberAt(text_.substr(at), /*isSigned=*/true);
        if (weight) {
            at = spacesFrom(at + weight->length);
            if (at < text_.size() && text_[at] == ')' && close(round_, weight->value)) {
                return at + 1;
            }
        }
        parts_.push_back({.text = ":"});
        return 1;
    }

    size_t spacesFrom(size_t at) const {
        while (at < text_.size() && isPromptSpace(text_[at])) {
            ++at;
        }
        return at;
    }

    /// Text up to the next character with a meaning. The first one is text in any case.
    size_t takePlain() {
        const size_t length = std::min(text_.find_first_of("\\()[]:", 1), text_.size());
        splitAtBreaks(text_.substr(0, length));
        return length;
    }

    void splitAtBreaks(std::string_view plain) {
        size_t from = 0;
        for (size_t at = plain.find(kBreak); at != plain.npos;) {
            const size_t end = at + kBreak.size();
            if (isWordAt(plain, at, kBreak.size())) {
                parts_.push_back({.text = std::string(trimmed(plain.substr(from, at - from)))});
                parts_.push_back({.isBreak = true});
                from = end;
            }
            at = plain.find(kBreak, end);
        }
        std::string_view rest = plain.substr(from);
        while (from > 0 && !rest.empty() && isPromptSpace(rest.front())) {
            rest.remove_prefix(1);
        }
        parts_.push_back({.text = std::string(rest)});
    }

    /// Without the white space that a BREAK takes with it; behind an earlier BREAK that is both
    /// ends.
    std::string_view trimmed(std::string_view text) const {
        const bool followsBreak = !parts_.empty() && parts_.back().isBreak;
        while (followsBreak && !text.empty() && isPromptSpace(text.front())) {
            text.remove_prefix(1);
        }
        while (!text.empty() && isPromptSpace(text.back())) {
            text.remove_suffix(1);
        }
        return text;
    }

    void multiply(size_t first, double weight) {
        for (size_t i = first; i < parts_.size(); ++i) {
            const double product = parts_[i].weight * weight;
            parts_[i].weight = std::isfinite(product) ? product : parts_[i].weight;
        }
    }

    /// Neighbours of one weight as one part.
    std::vector<WeightedPart> merged() {
        std::vector<WeightedPart> result;
        for (WeightedPart& part : parts_) {
            const bool joins = !result.empty() && !part.isBreak && !result.back().isBreak &&
                               result.back().weight == part.weight;
            if (joins) {
                result.back().text += part.text;
            } else {
                result.push_back(std::move(part));
            }
        }
        if (result.empty()) {
            result.emplace_back();
        }
        return result;
    }

    std::string_view text_;
    std::vector<WeightedPart> parts_;
    Opened round_;
    Opened square_;
};

}  // namespace

std::vector<WeightedPart> parseA1111Prompt(std::string_view text) {
    return A1111Parser(text).parse();
}

}  // namespace lowtide::models
