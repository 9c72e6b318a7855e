#include "ui/vary/variation.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>

namespace lowtide::ui {

namespace {

constexpr std::string_view kPrecision = ".precision";
constexpr std::string_view kMemory = ".memory";

/// "node.precision=speed" as "node=speed".
std::string withoutSuffix(const std::string& setting, const std::string& param, size_t suffix) {
    return param.substr(0, param.size() - suffix) + setting.substr(param.size());
}

std::vector<std::string> valuesIn(const std::string& text) {
    std::vector<std::string> values(1);
    for (size_t i = 0; i < text.size(); ++i) {
        const bool isEscape =
            text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == ',' || text[i + 1] == '\\');
        if (isEscape) {
            values.back() += text[++i];
        } else if (text[i] == ',') {
            values.emplace_back();
        } else {
            values.back() += text[i];
        }
    }
    return values;
}

void checkCount(size_t count) {
    if (count < 2) {
        throw Error(ErrorKind::InvalidInput,
                    message("there is one variant only, and nothing to compare it with"),
                    message("give a parameter several values: --vary node.param=a,b"));
    }
    if (count > kMostVariants) {
        throw Error(
            ErrorKind::InvalidInput,
            message("these are more than {} variants", kMostVariants),
            message("every --vary multiplies their number; vary fewer parameters or values"));
    }
}

/// What is still to be read of a part.
class Typed {
public:
    explicit Typed(std::string_view text) : left_(text) {}

    bool take(std::string_view word) {
        skipSpaces();
        const bool isThere = left_.starts_with(word);
        left_.remove_prefix(isThere ? word.size() : 0);
        return isThere;
    }

    /// With its sign; the digits as they were typed.
    std::optional<std::string> number() {
        skipSpaces();
        const bool isSigned = !left_.empty() && (left_.front() == '+' || left_.front() == '-');
        size_t length = isSigned ? 1 : 0;
        while (length < left_.size() && isPartOfNumber(length)) {
            ++length;
        }
        const std::string text(left_.substr(isSigned && left_.front() == '+' ? 1 : 0,
                                            length - (isSigned && left_.front() == '+' ? 1 : 0)));
        double value = 0;
        const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
        if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
            return std::nullopt;
        }
        left_.remove_prefix(length);
        return text;
    }

    [[nodiscard]] bool isAtEnd() {
        skipSpaces();
        return left_.empty();
    }

private:
    /// Two dots are a range, one is of the number.
    [[nodiscard]] bool isPartOfNumber(size_t at) const {
        const char letter = left_[at];
        return (letter >= '0' && letter <= '9') ||
               (letter == '.' && (at + 1 == left_.size() || left_[at + 1] != '.'));
    }

    void skipSpaces() {
        while (!left_.empty() && left_.front() == ' ') {
            left_.remove_prefix(1);
        }
    }

    std::string_view left_;
};

struct NumberRange {
    double first = 0;
    double last = 0;
    double step = 1;
    int64_t count = 0;  ///< 0: by the step
};

[[noreturn]] void refuseTyped(std::string_view part, const Message& problem) {
    throw Error(
        ErrorKind::InvalidInput,
        message("\"{}\" {}", part, problem),
        message(
            "write numbers such as 4, 8, 12, or ranges such as 4-12 (+2), 1..5 step 2, 1-9 [3]"));
}

double valueIn(const std::string& number) {
    double value = 0;
    std::from_chars(number.data(), number.data() + number.size(), value);
    return value;
}

bool isIntegerText(const std::string& number) {
    return number.find('.') == std::string::npos;
}

/// Without the traces of adding tenths up.
std::string numberText(double value, bool isInteger) {
    std::array<char, 64> text{};
    static_cast<void>(std::snprintf(text.data(),
                                    text.size(),
                                    isInteger ? "%.0f" : "%.10g",
                                    isInteger ? std::round(value) : value));
    const std::string number = text.data();
    return number == "-0" ? "0" : number;
}

/// What stands behind the two ends.
void readSteps(Typed& typed, std::string_view part, bool areIntegers, NumberRange& range) {
    if (range.last < range.first) {
        range.step = -1;
    }
    const bool isBracket = typed.take("(");
    if (isBracket || typed.take("step")) {
        const std::optional<std::string> step = typed.number();
        if (!step || valueIn(*step) == 0 || (isBracket && !typed.take(")"))) {
            refuseTyped(part, message("has no distance that can be used"));
        }
        if (areIntegers && !isIntegerText(*step)) {
            refuseTyped(part, message("has a distance that is no whole number"));
        }
        const double size = std::abs(valueIn(*step));
        range.step = range.last < range.first ? -size : size;
    } else if (typed.take("[")) {
        const std::optional<std::string> count = typed.number();
        if (!count || !isIntegerText(*count) || valueIn(*count) < 1 || !typed.take("]")) {
            refuseTyped(part, message("does not say how many numbers"));
        }
        range.count = static_cast<int64_t>(std::min(valueIn(*count), 1e9));
    }
}

void checkTypedCount(double count) {
    if (count > static_cast<double>(kMostVariants)) {
        throw Error(ErrorKind::InvalidInput,
                    message("these are more than {} values", kMostVariants),
                    message("type fewer, or ranges with a larger distance"));
    }
}

void addOnce(std::vector<std::string>& texts, std::string text) {
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) {
        texts.push_back(std::move(text));
    }
}

void addNumber(std::vector<std::string>& numbers, std::string number) {
    addOnce(numbers, std::move(number));
    checkTypedCount(static_cast<double>(numbers.size()));
}

/// Evenly apart; of whole numbers no more than lie between the ends.
void addFractions(std::vector<std::string>& numbers, const NumberRange& range, bool areIntegers) {
    const double span = std::abs(range.last - range.first);
    const double most = span == 0 ? 1 : areIntegers ? span + 1 : HUGE_VAL;
    const double count = std::min(static_cast<double>(range.count), most);
    checkTypedCount(count);
    const double gaps = std::max(count - 1, 1.0);
    for (double i = 0; i < count; ++i) {
        addNumber(numbers,
                  numberText(range.first + (range.last - range.first) * i / gaps, areIntegers));
    }
}

void addRange(std::vector<std::string>& numbers, const NumberRange& range, bool areIntegers) {
    if (range.count > 0) {
        addFractions(numbers, range, areIntegers);
        return;
    }
    constexpr double kSlack = 1e-9;  // of a step
    const double steps = std::floor((range.last - range.first) / range.step + kSlack);
    checkTypedCount(steps + 1);  // before: steps below what is written would never end
    for (double i = 0; i <= steps; ++i) {
        addNumber(numbers, numberText(range.first + i * range.step, areIntegers));
    }
}

void addPart(std::vector<std::string>& numbers, std::string_view part, bool areIntegers) {
    Typed typed(part);
    const std::optional<std::string> first = typed.number();
    if (!first) {
        refuseTyped(part, message("is no number"));
    }
    if (areIntegers && !isIntegerText(*first)) {
        refuseTyped(part, message("is no whole number"));
    }
    if (typed.isAtEnd()) {
        addNumber(numbers, *first);
        return;
    }
    if (!typed.take("..") && !typed.take("-") && !typed.take("\u2013")) {
        refuseTyped(part, message("is no number and no range"));
    }
    const std::optional<std::string> last = typed.number();
    if (!last) {
        refuseTyped(part, message("has no end"));
    }
    if (areIntegers && !isIntegerText(*last)) {
        refuseTyped(part, message("does not end with a whole number"));
    }
    NumberRange range{.first = valueIn(*first), .last = valueIn(*last)};
    constexpr double kExact = 9007199254740992.0;  // 2^53
    if (areIntegers && std::max(std::abs(range.first), std::abs(range.last)) > kExact) {
        refuseTyped(part, message("is a range of numbers that are too large for one"));
    }
    readSteps(typed, part, areIntegers, range);
    if (!typed.isAtEnd()) {
        refuseTyped(part, message("goes on in a way that cannot be read"));
    }
    addRange(numbers, range, areIntegers);
}

/// Without white space; empty ones are left out.
std::vector<std::string> partsAt(std::string_view text, char separator) {
    std::vector<std::string> parts = split(text, separator);
    std::ranges::transform(parts, parts.begin(), trim);
    std::erase(parts, std::string());
    return parts;
}

/// At commas, also those of Chinese keyboards.
std::vector<std::string> partsOf(std::string text) {
    for (const std::string_view comma : {"\uff0c", "\u3001", ";", "\n"}) {
        for (size_t at = text.find(comma); at != std::string::npos; at = text.find(comma, at)) {
            text.replace(at, comma.size(), ",");
        }
    }
    return partsAt(text, ',');
}

}  // namespace

AppliedSettings appliedSettings(const std::vector<std::string>& settings) {
    AppliedSettings applied;
    for (const std::string& setting : settings) {
        const std::string param = setting.substr(0, setting.find('='));
        if (param.ends_with(kPrecision)) {
            applied.precisions.push_back(withoutSuffix(setting, param, kPrecision.size()));
        } else if (param.ends_with(kMemory)) {
            applied.policies.push_back(withoutSuffix(setting, param, kMemory.size()));
        } else {
            applied.params.push_back(setting);
        }
    }
    return applied;
}

std::string Variant::name() const {
    return join(settings, " ");
}

Variation parseVariation(const std::string& text) {
    const size_t equals = text.find('=');
    const std::string param = trim(text.substr(0, equals));
    if (equals == std::string::npos || param.empty()) {
        throw Error(ErrorKind::InvalidInput,
                    message("{} does not say what to vary", quotedName(text)),
                    message("write node.param=a,b,c"));
    }
    return {.param = param, .values = valuesIn(text.substr(equals + 1))};
}

std::vector<Variation> parseVariations(const std::vector<std::string>& texts) {
    std::vector<Variation> variations;
    std::ranges::transform(texts, std::back_inserter(variations), parseVariation);
    return variations;
}

std::vector<Variant> combinationsOf(const std::vector<Variation>& variations) {
    std::set<std::string> params;
    std::vector<Variant> variants(1);
    for (const Variation& variation : variations) {
        if (!params.insert(variation.param).second) {
            throw Error(ErrorKind::InvalidInput,
                        message("{} is varied twice", variation.param),
                        message("give all its values in one --vary"));
        }
        if (variants.size() * variation.values.size() > kMostVariants) {
            checkCount(kMostVariants + 1);
        }
        std::vector<Variant> longer;
        for (const Variant& variant : variants) {
            for (const std::string& value : variation.values) {
                longer.push_back(variant);
                longer.back().settings.push_back(variation.param + "=" + value);
            }
        }
        variants = std::move(longer);
    }
    checkCount(variants.size());
    return variants;
}

std::vector<std::string> numbersTyped(std::string_view text, bool areIntegers) {
    std::vector<std::string> numbers;
    for (const std::string& part : partsOf(std::string(text))) {
        addPart(numbers, part, areIntegers);
    }
    return numbers;
}

std::vector<std::string> linesTyped(std::string_view text, bool areWords) {
    const auto eachOnce = [](const std::vector<std::string>& parts) {
        std::vector<std::string> once;
        for (const std::string& part : parts) {
            addOnce(once, part);
        }
        return once;
    };
    const std::vector<std::string> lines = eachOnce(partsAt(text, '\n'));
    return areWords && lines.size() == 1 ? eachOnce(partsOf(lines.front())) : lines;
}

std::vector<std::string> replacedIn(const std::string& prompt,
                                    const std::vector<std::string>& terms) {
    if (terms.empty()) {
        throw Error(ErrorKind::InvalidInput,
                    message("there is nothing to look for"),
                    message("write a word of the prompt first, then what takes its place"));
    }
    const std::string& wanted = terms.front();
    if (prompt.find(wanted) == std::string::npos) {
        throw Error(ErrorKind::InvalidInput,
                    message("the text does not hold \"{}\"", wanted),
                    message("write a word of the prompt first, then what takes its place"));
    }
    std::vector<std::string> prompts;
    for (const std::string& term : terms) {
        std::string replaced = prompt;
        for (size_t at = replaced.find(wanted); at != std::string::npos;
             at = replaced.find(wanted, at + term.size())) {
            replaced.replace(at, wanted.size(), term);
        }
        prompts.push_back(std::move(replaced));
    }
    return prompts;
}

}  // namespace lowtide::ui
