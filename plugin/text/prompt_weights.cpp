#include "plugin/text/prompt_weights.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace lowtide::models {

namespace {

/// Digits with at most one point among them; 0 when there is no digit.
size_t unsignedLength(std::string_view text) {
    size_t length = 0;
    bool hasPoint = false;
    bool hasDigit = false;
    for (; length < text.size(); ++length) {
        const char c = text[length];
        if (c == '.' && !hasPoint) {
            hasPoint = true;
        } else if (isDecimalDigit(c)) {
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

PromptWeights promptWeightsNamed(const std::string& name) {
    if (name == "none") {
        return PromptWeights::None;
    }
    if (name == "a1111") {
        return PromptWeights::A1111;
    }
    if (name == "compel") {
        return PromptWeights::Compel;
    }
    if (name == "comfyui") {
        return PromptWeights::ComfyUi;
    }
    throw Error(ErrorKind::InvalidInput,
                message("there is no way of weights {}", quotedName(name)),
                message("choose none, a1111, comfyui or compel"),
                "weights");
}

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

    /// Handles what the text begins with and returns how many bytes that was.
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

namespace {

constexpr double kPlus = 1.1;
constexpr double kMinus = 0.9;
constexpr std::string_view kSyntax = "()\",.+-=";
constexpr size_t kNone = std::string_view::npos;

bool isSyntax(char c) noexcept {
    return kSyntax.find(c) != kSyntax.npos;
}

/// What stands behind a word or a bracket.
struct Operator {
    double weight = 1;
    size_t length = 0;
};

/// "++" or "--" at the start of `text`.
std::optional<Operator> signsAt(std::string_view text) {
    if (text.empty() || (text.front() != '+' && text.front() != '-')) {
        return std::nullopt;
    }
    const size_t count = std::min(text.find_first_not_of(text.front()), text.size());
    return Operator{std::pow(text.front() == '+' ? kPlus : kMinus, static_cast<double>(count)),
                    count};
}

std::optional<Operator> signsOrNumberAt(std::string_view text) {
    if (const std::optional<Operator> signs = signsAt(text)) {
        return signs;
    }
    const std::optional<PromptNumber> number = numberAt(text, /*isSigned=*/false);
    return number ? std::optional(Operator{number->value, number->length}) : std::nullopt;
}

/// ".attend(1.2)" or ".attend(++)" at the start of `text`.
std::optional<Operator> attendAt(std::string_view text) {
    constexpr std::string_view kAttend = ".attend(";
    if (!text.starts_with(kAttend)) {
        return std::nullopt;
    }
    const std::optional<Operator> inside = signsOrNumberAt(text.substr(kAttend.size()));
    const size_t end = kAttend.size() + (inside ? inside->length : 0);
    const bool isClosed = inside && end < text.size() && text[end] == ')';
    return isClosed ? std::optional(Operator{inside->weight, end + 1}) : std::nullopt;
}

/// The partner of every opening bracket and quote: its index, or kNone.
std::vector<size_t> partnersIn(std::string_view text) {
    std::vector<size_t> partners(text.size(), kNone);
    std::vector<size_t> open;
    size_t quote = kNone;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\') {
            ++i;
        } else if (text[i] == '(') {
            open.push_back(i);
        } else if (text[i] == ')' && !open.empty()) {
            partners[open.back()] = i;
            open.pop_back();
        } else if (text[i] == '"') {
            if (quote != kNone) {
                partners[quote] = i;
            }
            quote = i;
        }
    }
    return partners;
}

class CompelParser {
public:
    explicit CompelParser(std::string_view text) : text_(text), partners_(partnersIn(text)) {}

    CompelPrompt parse() {
        while (at_ < text_.size() && result_.unsupported.empty()) {
            takeOne();
        }
        if (result_.parts.empty()) {
            result_.parts.emplace_back();
        }
        return std::move(result_);
    }

private:
    /// A bracket or a pair of quotes that the parser is inside of.
    struct Group {
        size_t close;  ///< index of its last character
        size_t end;    ///< behind its operator
        double outerWeight;
    };

    [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }

    [[nodiscard]] size_t groupEnd() const {
        return groups_.empty() ? text_.size() : groups_.back().close;
    }

    void takeOne() {
        const char c = text_[at_];
        if (!groups_.empty() && at_ == groups_.back().close) {
            at_ = groups_.back().end;
            weight_ = groups_.back().outerWeight;
            groups_.pop_back();
            return;
        }
        if (isPromptSpace(c)) {
            ++at_;
            return;
        }
        const bool opens = c == '(' || c == '"';
        if (opens && partners_[at_] != kNone && partners_[at_] < groupEnd()) {
            openGroup(partners_[at_]);
            return;
        }
        takeWord();
    }

    void openGroup(size_t close) {
        const std::string_view behind = text_.substr(close + 1);
        for (const std::string_view name : {".blend", ".and", ".add", ".swap"}) {
            if (behind.starts_with(name) && behind.substr(name.size()).starts_with('(')) {
                result_.unsupported = std::string(name);
                return;
            }
        }
        std::optional<Operator> found = attendAt(behind);
        if (!found) {
            found = signsOrNumberAt(behind);
        }
        groups_.push_back({.close = close,
                           .end = close + 1 + (found ? found->length : 0),
                           .outerWeight = weight_});
        weight_ = scaled(found ? found->weight : 1);
        ++at_;
    }

    /// A word with its operator; without one, what stands up to the next space is text, and inside
    /// a group what stands up to the next character with a meaning.
    void takeWord() {
        const size_t length = wordLength();
        const std::string_view behind = rest().substr(length);
        if (length > 0) {
            refuseOperatorsOf(rest().substr(0, length), behind);
            std::optional<Operator> found = attendAt(behind);
            if (!found) {
                found = signsAt(behind);
            }
            if (found) {
                append(rest().substr(0, length), scaled(found->weight));
                at_ += length + found->length;
                return;
            }
        }
        const size_t taken = groups_.empty() ? freeLength() : std::max<size_t>(length, 1);
        append(rest().substr(0, taken), weight_);
        at_ += taken;
    }

    void refuseOperatorsOf(std::string_view word, std::string_view behind) {
        if (behind.starts_with(".swap(")) {
            result_.unsupported = ".swap";
        } else if (behind.starts_with('(') && (word == "useLora" || word == "withLora")) {
            result_.unsupported = std::string(word);
        }
    }

    /// Bytes without a space and without a meaning; a sign inside a word is part of it.
    [[nodiscard]] size_t wordLength() const {
        const std::string_view text = text_.substr(at_, groupEnd() - at_);
        size_t length = 0;
        while (length < text.size()) {
            const char c = text[length];
            const bool hasNext = length + 1 < text.size();
            if (c == '\\' && hasNext && isSyntax(text[length + 1])) {
                length += 2;
                continue;
            }
            const bool isInnerSign = (c == '+' || c == '-') && hasNext &&
                                     !isPromptSpace(text[length + 1]) &&
                                     !isSyntax(text[length + 1]);
            if (isPromptSpace(c) || (isSyntax(c) && !isInnerSign)) {
                break;
            }
            ++length;
        }
        return length;
    }

    [[nodiscard]] size_t freeLength() const {
        const auto* end = std::find_if(rest().begin(), rest().end(), isPromptSpace);
        return static_cast<size_t>(end - rest().begin());
    }

    [[nodiscard]] double scaled(double factor) const {
        const double product = weight_ * factor;
        return std::isfinite(product) ? product : weight_;
    }

    /// Text without the backslashes of escapes, joined to a part of the same weight.
    void append(std::string_view text, double weight) {
        std::string plain;
        for (size_t i = 0; i < text.size(); ++i) {
            const bool escapes = text[i] == '\\' && i + 1 < text.size() && isSyntax(text[i + 1]);
            plain += text[escapes ? ++i : i];
        }
        if (!result_.parts.empty() && result_.parts.back().weight == weight) {
            result_.parts.back().text += ' ' + plain;
        } else {
            result_.parts.push_back({.text = std::move(plain), .weight = weight});
        }
    }

    std::string_view text_;
    std::vector<size_t> partners_;
    size_t at_ = 0;
    double weight_ = 1;
    std::vector<Group> groups_;
    CompelPrompt result_;
};

}  // namespace

CompelPrompt parseCompelPrompt(std::string_view text) {
    return CompelParser(text).parse();
}

}  // namespace lowtide::models
