#include "plugin/interop/expression.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace lowtide::interop {

namespace {

constexpr size_t kLongestExpression = 4096;
constexpr int kDeepestExpression = 150;

/// Ends the reading of an expression; never leaves this file.
struct NoValue {};

/// A number of Python's: whole, real, or a truth, which counts as 0 or 1. NaN: it has no value,
/// which is fine in a branch that is not taken.
struct Number {
    bool isWhole = true;
    int64_t whole = 0;
    double real = 0;

    [[nodiscard]] double value() const { return isWhole ? static_cast<double>(whole) : real; }

    [[nodiscard]] bool isTrue() const { return value() != 0; }

    [[nodiscard]] bool isNone() const { return std::isnan(value()); }
};

Number wholeNumber(int64_t value) {
    return {.isWhole = true, .whole = value, .real = 0};
}

Number realNumber(double value) {
    return {.isWhole = false, .whole = 0, .real = value};
}

Number truth(bool value) {
    return wholeNumber(value ? 1 : 0);
}

Number withoutValue() {
    return realNumber(std::numeric_limits<double>::quiet_NaN());
}

/// A real number as a whole one, where it is one that fits.
Number toWhole(double value) {
    constexpr double kLimit = 9.2e18;
    if (!(value > -kLimit && value < kLimit)) {
        return withoutValue();
    }
    return wholeNumber(static_cast<int64_t>(value));
}

int64_t wholeOf(const Number& number) {
    if (!number.isWhole) {
        throw NoValue();
    }
    return number.whole;
}

/// Half to even, as Python rounds.
double rounded(double value) {
    const double below = std::floor(value);
    const double rest = value - below;
    if (rest != 0.5) {
        return std::round(value);
    }
    return std::fmod(below, 2) == 0 ? below : below + 1;
}

Number divided(const Number& a, const Number& b) {
    return b.isTrue() ? realNumber(a.value() / b.value()) : withoutValue();
}

Number floorDivided(const Number& a, const Number& b) {
    const double quotient = std::floor(divided(a, b).real);
    if (!a.isWhole || !b.isWhole || std::isnan(quotient)) {
        return realNumber(quotient);
    }
    if (b.whole == -1) {
        return toWhole(-a.value());
    }
    const int64_t result = a.whole / b.whole;
    const bool isInexact = a.whole % b.whole != 0;
    return wholeNumber(isInexact && (a.whole < 0) != (b.whole < 0) ? result - 1 : result);
}

/// With the sign of the divisor.
Number remainder(const Number& a, const Number& b) {
    if (!b.isTrue()) {
        return withoutValue();
    }
    if (a.isWhole && b.isWhole) {
        if (b.whole == -1) {
            return wholeNumber(0);
        }
        const int64_t rest = a.whole % b.whole;
        return wholeNumber(rest != 0 && (rest < 0) != (b.whole < 0) ? rest + b.whole : rest);
    }
    const double rest = std::fmod(a.value(), b.value());
    return realNumber(rest != 0 && (rest < 0) != (b.value() < 0) ? rest + b.value() : rest);
}

Number power(const Number& a, const Number& b) {
    const double result = std::pow(a.value(), b.value());
    const bool isWhole = a.isWhole && b.isWhole && b.whole >= 0 && std::abs(result) < 9e15;
    return isWhole ? toWhole(result) : realNumber(result);
}

Number shifted(const Number& a, const Number& b, bool isLeft) {
    const int64_t count = wholeOf(b);
    if (count < 0 || count > 62) {
        throw NoValue();
    }
    return isLeft ? toWhole(static_cast<double>(wholeOf(a)) * std::pow(2, count))
                  : wholeNumber(wholeOf(a) >> count);
}

Number added(const Number& a, const Number& b, int sign) {
    if (!a.isWhole || !b.isWhole) {
        return realNumber(a.value() + sign * b.value());
    }
    int64_t result = 0;
    const bool isTooLarge = sign > 0 ? __builtin_add_overflow(a.whole, b.whole, &result)
                                     : __builtin_sub_overflow(a.whole, b.whole, &result);
    if (isTooLarge) {
        throw NoValue();
    }
    return wholeNumber(result);
}

Number multiplied(const Number& a, const Number& b) {
    if (!a.isWhole || !b.isWhole) {
        return realNumber(a.value() * b.value());
    }
    int64_t result = 0;
    if (__builtin_mul_overflow(a.whole, b.whole, &result)) {
        throw NoValue();
    }
    return wholeNumber(result);
}

using Numbers = std::vector<Number>;

const Number& onlyOf(const Numbers& given) {
    if (given.size() != 1) {
        throw NoValue();
    }
    return given[0];
}

Number extremeOf(const Numbers& given, bool isLargest) {
    if (given.empty()) {
        throw NoValue();
    }
    if (std::ranges::any_of(given, &Number::isNone)) {
        return withoutValue();
    }
    return *std::max_element(given.begin(), given.end(), [&](const Number& a, const Number& b) {
        return isLargest ? a.value() < b.value() : b.value() < a.value();
    });
}

Number roundedTo(const Numbers& given) {
    if (given.size() != 2) {
        return toWhole(rounded(onlyOf(given).value()));
    }
    const double scale = std::pow(10, static_cast<double>(wholeOf(given[1])));
    return realNumber(rounded(given[0].value() * scale) / scale);
}

Number negated(const Number& a) {
    return added(wholeNumber(0), a, -1);
}

Number callFunction(std::string_view name, const Numbers& given) {
    if (name == "min" || name == "max") {
        return extremeOf(given, name == "max");
    }
    if (name == "round") {
        return roundedTo(given);
    }
    if (name == "pow" && given.size() == 2) {
        return power(given[0], given[1]);
    }
    const Number& only = onlyOf(given);
    if (name == "abs") {
        return only.value() < 0 ? negated(only) : only;
    }
    if (name == "int") {
        return only.isWhole ? only : toWhole(std::trunc(only.real));
    }
    if (name == "floor" || name == "ceil") {
        return only.isWhole
                   ? only
                   : toWhole(name == "floor" ? std::floor(only.real) : std::ceil(only.real));
    }
    using Real = double (*)(double);
    static constexpr std::array<std::pair<std::string_view, Real>, 7> kReal = {
        {{"sqrt", [](double x) { return std::sqrt(x); }},
         {"log", [](double x) { return std::log(x); }},
         {"exp", [](double x) { return std::exp(x); }},
         {"sin", [](double x) { return std::sin(x); }},
         {"cos", [](double x) { return std::cos(x); }},
         {"tan", [](double x) { return std::tan(x); }},
         {"float", [](double x) { return x; }}}};
    for (const auto& [known, function] : kReal) {
        if (name == known) {
            return realNumber(function(only.value()));
        }
    }
    throw NoValue();
}

bool isWordByte(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '.';
}

bool isDigitByte(char byte) {
    return byte >= '0' && byte <= '9';
}

/// One expression, by recursive descent in Python's order of operators.
class ExpressionReader {
public:
    ExpressionReader(std::string_view text, const std::map<std::string, Json>& values)
        : rest_(text), values_(values) {}

    Number read() {
        const Number result = choice();
        skipSpace();
        if (!rest_.empty()) {
            throw NoValue();
        }
        return result;
    }

private:
    /// Counts how deep the reader is, for as long as it lives.
    class Deeper {
    public:
        explicit Deeper(int& depth) : depth_(depth) {
            if (++depth_ > kDeepestExpression) {
                --depth_;
                throw NoValue();
            }
        }

        ~Deeper() { --depth_; }

        Deeper(const Deeper&) = delete;
        Deeper& operator=(const Deeper&) = delete;

    private:
        int& depth_;
    };

    void skipSpace() {
        while (!rest_.empty() && (rest_[0] == ' ' || (rest_[0] >= '\t' && rest_[0] <= '\r'))) {
            rest_.remove_prefix(1);
        }
    }

    bool takes(std::string_view sign) {
        skipSpace();
        if (!rest_.starts_with(sign)) {
            return false;
        }
        const char next = rest_.size() > sign.size() ? rest_[sign.size()] : '\0';
        const bool isWord = isWordByte(sign[0]);
        const bool isLonger =
            isWord ? isWordByte(next)
                   : sign.size() == 1 && ((next == sign[0] && (next == '*' || next == '/' ||
                                                               next == '<' || next == '>')) ||
                                          (next == '=' && (sign == "<" || sign == ">")));
        if (isLonger) {
            return false;
        }
        rest_.remove_prefix(sign.size());
        return true;
    }

    Number choice() {
        const Deeper deeper(depth_);
        const Number first = alternatives();
        if (!takes("if")) {
            return first;
        }
        const Number condition = alternatives();
        if (!takes("else")) {
            throw NoValue();
        }
        const Number second = choice();
        return condition.isNone() ? condition : condition.isTrue() ? first : second;
    }

    Number alternatives() {
        Number left = conjunction();
        while (takes("or")) {
            const Number right = conjunction();
            left = left.isTrue() ? left : right;  // NaN counts as true, and remains
        }
        return left;
    }

    Number conjunction() {
        Number left = negation();
        while (takes("and")) {
            const Number right = negation();
            left = left.isTrue() && !left.isNone() ? right : left;
        }
        return left;
    }

    Number negation() {
        const Deeper deeper(depth_);
        if (!takes("not")) {
            return comparison();
        }
        const Number inner = negation();
        return inner.isNone() ? inner : truth(!inner.isTrue());
    }

    Number comparison() {
        Number left = bits();
        bool isCompared = false, holds = true, isNone = false;
        for (;;) {
            const char* sign = nullptr;
            for (const char* each : {"<=", ">=", "==", "!=", "<", ">"}) {
                if (takes(each)) {
                    sign = each;
                    break;
                }
            }
            if (sign == nullptr) {
                return !isCompared ? left : isNone ? withoutValue() : truth(holds);
            }
            const Number right = bits();
            isNone = isNone || left.isNone() || right.isNone();
            holds = holds && compares(left.value(), sign, right.value());
            left = right;
            isCompared = true;
        }
    }

    static bool compares(double a, std::string_view sign, double b) {
        return sign == "<"    ? a < b
               : sign == ">"  ? a > b
               : sign == "<=" ? a <= b
               : sign == ">=" ? a >= b
               : sign == "==" ? a == b
                              : a != b;
    }

    Number bits() {
        Number left = bitsOfEither();
        while (takes("|")) {
            left = wholeNumber(wholeOf(left) | wholeOf(bitsOfEither()));
        }
        return left;
    }

    Number bitsOfEither() {
        Number left = commonBits();
        while (takes("^")) {
            left = wholeNumber(wholeOf(left) ^ wholeOf(commonBits()));
        }
        return left;
    }

    Number commonBits() {
        Number left = shift();
        while (takes("&")) {
            left = wholeNumber(wholeOf(left) & wholeOf(shift()));
        }
        return left;
    }

    Number shift() {
        Number left = sum();
        for (;;) {
            if (takes("<<")) {
                left = shifted(left, sum(), true);
            } else if (takes(">>")) {
                left = shifted(left, sum(), false);
            } else {
                return left;
            }
        }
    }

    Number sum() {
        Number left = product();
        for (;;) {
            if (takes("+")) {
                left = added(left, product(), 1);
            } else if (takes("-")) {
                left = added(left, product(), -1);
            } else {
                return left;
            }
        }
    }

    Number product() {
        Number left = factor();
        for (;;) {
            if (takes("*")) {
                left = multiplied(left, factor());
            } else if (takes("//")) {
                left = floorDivided(left, factor());
            } else if (takes("/")) {
                left = divided(left, factor());
            } else if (takes("%")) {
                left = remainder(left, factor());
            } else {
                return left;
            }
        }
    }

    Number factor() {
        const Deeper deeper(depth_);
        if (takes("-")) {
            return negated(factor());
        }
        if (takes("+")) {
            return factor();
        }
        if (takes("~")) {
            return wholeNumber(~wholeOf(factor()));
        }
        const Number base = atom();
        return takes("**") ? power(base, factor()) : base;
    }

    Number atom() {
        if (takes("(")) {
            const Number inner = choice();
            if (!takes(")")) {
                throw NoValue();
            }
            return inner;
        }
        const bool startsNumber = !rest_.empty() && (isDigitByte(rest_[0]) || rest_[0] == '.');
        return startsNumber ? number() : nameOrCall();
    }

    Number number() {
        double value = 0;
        const char* const begin = rest_.data();
        const auto [end, error] = std::from_chars(begin, begin + rest_.size(), value);
        if (error != std::errc()) {
            throw NoValue();
        }
        const std::string_view text(begin, static_cast<size_t>(end - begin));
        rest_.remove_prefix(text.size());
        const bool isWhole = text.find_first_not_of("0123456789") == std::string_view::npos;
        return isWhole ? toWhole(value) : realNumber(value);
    }

    Number nameOrCall() {
        const size_t length = static_cast<size_t>(
            std::find_if_not(rest_.begin(), rest_.end(), isWordByte) - rest_.begin());
        const std::string name(rest_.substr(0, length));
        rest_.remove_prefix(length);
        if (!name.empty() && takes("(")) {
            return callFunction(name.starts_with("math.") ? name.substr(5) : name, arguments());
        }
        if (name == "True" || name == "False") {
            return truth(name == "True");
        }
        const auto found = values_.find(name);
        if (found == values_.end()) {
            throw NoValue();
        }
        return numberIn(found->second);
    }

    Numbers arguments() {
        Numbers given;
        while (!takes(")")) {
            if (!given.empty() && !takes(",")) {
                throw NoValue();
            }
            given.push_back(choice());
        }
        return given;
    }

    static Number numberIn(const Json& json) {
        if (json.is_boolean()) {
            return truth(json.get<bool>());
        }
        if (json.is_number_unsigned() &&
            json.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
            throw NoValue();
        }
        if (json.is_number_integer()) {
            return wholeNumber(json.get<int64_t>());
        }
        if (!json.is_number()) {
            throw NoValue();
        }
        return realNumber(json.get<double>());
    }

    std::string_view rest_;
    const std::map<std::string, Json>& values_;
    int depth_ = 0;
};

}  // namespace

std::optional<Json> evaluate(std::string_view expression,
                             const std::map<std::string, Json>& values) {
    if (expression.size() > kLongestExpression) {
        return std::nullopt;
    }
    try {
        const Number result = ExpressionReader(expression, values).read();
        if (result.isWhole) {
            return Json(result.whole);
        }
        return std::isfinite(result.real) ? std::optional(Json(result.real)) : std::nullopt;
    } catch (const NoValue&) {
        return std::nullopt;
    }
}

}  // namespace lowtide::interop
