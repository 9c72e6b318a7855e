#include "ui/editors/number_text.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/language/module_texts.hpp"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kMaxDecimals = 6;

QString tooLarge() {
    return QCoreApplication::translate("lowtide::ui::NumberField",
                                       "The number is larger than 64 bits hold.");
}

Json wholeJson(const ParamDesc& param, long double number) {
    if (param.kind == ParamKind::Seed && number >= 0) {
        return static_cast<uint64_t>(number);
    }
    return static_cast<int64_t>(number);
}

bool fitsBits(const ParamDesc& param, long double number) {
    const bool isSeed = param.kind == ParamKind::Seed;
    const long double most = isSeed ? static_cast<long double>(std::numeric_limits<uint64_t>::max())
                                    : static_cast<long double>(std::numeric_limits<int64_t>::max());
    return number <= most &&
           number >= static_cast<long double>(std::numeric_limits<int64_t>::min());
}

constexpr int kMaxDepth = 32;

class Expression {
    Q_DECLARE_TR_FUNCTIONS(lowtide::ui::Expression)

public:
    explicit Expression(std::string text) : text_(std::move(text)) {}

    /// Goes on from `current`, or starts again.
    Evaluated evaluate(long double current) {
        long double number = 0;
        skipSpace();
        if (isAssignment()) {
            const char sign = take();
            take();  // the =
            const long double right = sum();
            number = applied(sign, current, right);
        } else {
            if (peek() == '+' || peek() == '*' || peek() == '/') {
                start_ = current;
            }
            number = sum();
        }
        skipSpace();
        if (problem_.isEmpty() && at_ < text_.size()) {
            fail(tr("\"%1\" is not understood").arg(QString::fromStdString(text_.substr(at_))));
        }
        if (problem_.isEmpty() && !std::isfinite(number)) {
            fail(tr("the result is too large"));
        }
        if (!problem_.isEmpty()) {
            return {std::nullopt, problem_};
        }
        return {number, {}};
    }

private:
    [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    char take() { return text_[at_++]; }

    [[nodiscard]] bool isAssignment() const {
        const bool isSign = peek() == '+' || peek() == '-' || peek() == '*' || peek() == '/';
        return isSign && at_ + 1 < text_.size() && text_[at_ + 1] == '=';
    }

    void skipSpace() {
        while (peek() == ' ' || peek() == '\t') {
            ++at_;
        }
    }

    void fail(const QString& problem) {
        if (problem_.isEmpty()) {
            problem_ = problem;
        }
    }

    long double applied(char sign, long double left, long double right) {
        switch (sign) {
            case '+':
                return left + right;
            case '-':
                return left - right;
            case '*':
                return left * right;
            default:
                if (right == 0) {
                    fail(tr("it divides by zero"));
                    return 0;
                }
                return left / right;
        }
    }

    /// What `part` reads, with one of these signs between each two.
    long double chain(std::string_view signs, long double (Expression::*part)()) {
        long double left = (this->*part)();
        for (skipSpace(); signs.find(peek()) != std::string_view::npos; skipSpace()) {
            const char sign = take();
            const long double right = (this->*part)();
            left = applied(sign, left, right);
        }
        return left;
    }

    long double sum() { return chain("+-", &Expression::product); }

    long double product() { return chain("*/", &Expression::factor); }

    long double factor() {
        if (start_) {
            return *std::exchange(start_, std::nullopt);
        }
        skipSpace();
        if (++depth_ > kMaxDepth) {
            fail(tr("there are too many brackets"));
            at_ = text_.size();
            return 0;
        }
        long double number = 0;
        if (peek() == '-' || peek() == '+') {
            number = take() == '-' ? -factor() : factor();
        } else if (peek() == '(') {
            take();
            number = sum();
            skipSpace();
            if (peek() == ')') {
                take();
            } else {
                fail(tr("a closing bracket is missing"));
            }
        } else {
            number = literal();
        }
        --depth_;
        return number;
    }

    long double literal() {
        const bool isNumber = (peek() >= '0' && peek() <= '9') || peek() == '.';
        char* end = nullptr;
        const long double number = isNumber ? std::strtold(text_.c_str() + at_, &end) : 0;
        if (!isNumber || end == text_.c_str() + at_) {
            fail(peek() == '\0' ? tr("a number is missing")
                                : tr("\"%1\" is not understood")
                                      .arg(QString::fromStdString(text_.substr(at_))));
            return 0;
        }
        at_ = static_cast<size_t>(end - text_.c_str());
        return number;
    }

    std::string text_;
    size_t at_ = 0;
    int depth_ = 0;
    std::optional<long double> start_{};  ///< stands before the first sign
    QString problem_;
};

constexpr double kRangePixels = 240;
constexpr double kPixelsPerStep = 4;
constexpr double kFactor = 10;  ///< of Ctrl and Shift

struct Range {
    std::optional<double> least;
    std::optional<double> most;
};

/// The soft range; where it is not stated, the hard one.
Range scrubRange(const ParamDesc& param) {
    return {param.softMin ? param.softMin : param.min, param.softMax ? param.softMax : param.max};
}

}  // namespace

bool isInteger(const ParamDesc& param) {
    return param.kind == ParamKind::Int || param.kind == ParamKind::Seed;
}

double stepOf(const ParamDesc& param) {
    if (param.step && *param.step > 0) {
        return *param.step;
    }
    if (isInteger(param)) {
        return 1;
    }
    const double range =
        param.softMin && param.softMax ? std::abs(*param.softMax - *param.softMin) : 1;
    return std::pow(10.0, std::floor(std::log10(std::max(range, 1e-6))) - 2);
}

int decimalsOf(const ParamDesc& param) {
    if (isInteger(param)) {
        return 0;
    }
    const double step = stepOf(param);
    int decimals = 0;
    for (double scaled = step; decimals < kMaxDecimals; ++decimals, scaled *= 10) {
        if (std::abs(scaled - std::round(scaled)) < 1e-9 * std::max(1.0, scaled)) {
            break;
        }
    }
    return decimals;
}

std::optional<long double> numberOf(const Json& value) {
    if (value.is_number_unsigned()) {
        return static_cast<long double>(value.get<uint64_t>());
    }
    if (value.is_number_integer()) {
        return static_cast<long double>(value.get<int64_t>());
    }
    if (value.is_number_float()) {
        return static_cast<long double>(value.get<double>());
    }
    return std::nullopt;
}

QString unitText(const ParamDesc& param, const Json& value) {
    constexpr qsizetype kLeastWord = 4;  // "ms" and "px" are no plurals
    QString unit = QString::fromStdString(param.unit);
    if (value == 1 && unit.size() >= kLeastWord && unit.endsWith(QLatin1Char('s'))) {
        unit.chop(1);
    }
    return unit;
}

QString numberText(const ParamDesc& param, const Json& value) {
    if (value.is_number_unsigned()) {
        return QString::number(value.get<uint64_t>());
    }
    if (value.is_number_integer() && isInteger(param)) {
        return QString::number(value.get<int64_t>());
    }
    if (!value.is_number()) {
        return value.is_null() ? QString()
                               : QString::fromStdString(
                                     value.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    const auto number = value.get<double>();
    const QString text = QString::number(number, 'f', decimalsOf(param));
    return text.toDouble() == number ? text
                                     : QString::number(number, 'g', QLocale::FloatingPointShortest);
}

QString refusalOf(const ParamDesc& param, const Json& value) {
    const graph::ParamCheck check = graph::checkParam(param, value);
    const auto* refusal = std::get_if<graph::ParamRefusal>(&check);
    if (!refusal) {
        return {};
    }
    Issue issue{.code = refusal->code,
                .item = param.label,
                .message = refusal->reason,
                .hint = refusal->hint,
                .facts = graph::paramFacts(param, value).dump()};
    reword(issue);
    return QCoreApplication::translate("lowtide::ui::ParamEditor", "The value %1; %2.")
        .arg(QString::fromStdString(issue.message.str()), QString::fromStdString(issue.hint.str()));
}

TypedValue valueFrom(const ParamDesc& param, long double number) {
    Json value;
    if (isInteger(param)) {
        if (!fitsBits(param, number)) {
            return {std::nullopt, tooLarge()};
        }
        const bool isExact = std::floor(number) == number;
        value = isExact ? wholeJson(param, number) : Json(static_cast<double>(number));
    } else {
        value = static_cast<double>(number);
    }
    const QString problem = refusalOf(param, value);
    if (!problem.isEmpty()) {
        return {std::nullopt, problem};
    }
    return {std::move(value), {}};
}

Evaluated evaluate(const QString& text, long double current) {
    QString plain = text.trimmed();
    plain.replace(QLatin1Char(','), QLatin1Char('.'));
    return Expression(plain.toStdString()).evaluate(current);
}

ScrubSpeed scrubSpeed(const ParamDesc& param, Qt::KeyboardModifiers modifiers) {
    const double step = stepOf(param);
    const Range range = scrubRange(param);
    ScrubSpeed speed{step / kPixelsPerStep, step, step};
    if (range.least && range.most && param.kind != ParamKind::Seed) {
        speed.perPixel =
            std::clamp((*range.most - *range.least) / kRangePixels, step / 16, step * kFactor);
    }
    if (modifiers & Qt::ControlModifier) {
        speed.perPixel *= kFactor;
        speed.step *= kFactor;
    } else if (modifiers & Qt::ShiftModifier) {
        speed.perPixel /= kFactor;
        speed.step = isInteger(param) ? std::max(1.0, std::round(step / kFactor)) : step / kFactor;
        speed.quantum = speed.step;
    }
    return speed;
}

long double withinHardRange(const ParamDesc& param, long double number) {
    if (param.min) {
        number = std::max<long double>(number, *param.min);
    }
    if (param.max) {
        number = std::min<long double>(number, *param.max);
    }
    return param.kind == ParamKind::Seed ? std::max(number, 0.0L) : number;
}

long double rounded(const ParamDesc& param, long double number) {
    if (isInteger(param)) {
        return std::round(number);
    }
    const long double scale = std::pow(10.0L, decimalsOf(param) + 1);
    return std::round(number * scale) / scale;
}

long double scrubbed(const ParamDesc& param,
                     long double start,
                     long double distance,
                     double quantum) {
    const long double moved = std::round(distance / quantum) * quantum;
    long double number = start + moved;
    const Range range = scrubRange(param);
    if (range.least) {
        number = std::max(number, std::min<long double>(*range.least, start));
    }
    if (range.most) {
        number = std::min(number, std::max<long double>(*range.most, start));
    }
    // A start with more decimals than the step keeps them.
    return withinHardRange(param, number == start ? start : rounded(param, number));
}

std::optional<double> softFraction(const ParamDesc& param, const Json& value) {
    const auto number = numberOf(value);
    if (!number || !param.softMin || !param.softMax || *param.softMax <= *param.softMin) {
        return std::nullopt;
    }
    const double fraction =
        (static_cast<double>(*number) - *param.softMin) / (*param.softMax - *param.softMin);
    return std::clamp(fraction, 0.0, 1.0);
}

}  // namespace lowtide::ui
