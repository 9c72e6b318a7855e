#include "plugin/text/compel_prompt.hpp"

#include "plugin/text/prompt_number.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace lowtide::models {

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

/// The partner of every opening bracket and quote: its place, or kNone.
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
        size_t close;  ///< place of its last character
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
