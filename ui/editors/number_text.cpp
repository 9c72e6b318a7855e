#include "ui/editors/number_text.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/language/module_texts.hpp"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace

bool isWhole(const ParamDesc& param) {
    return param.kind == ParamKind::Int || param.kind == ParamKind::Seed;
}

double stepOf(const ParamDesc& param) {
    if (param.step && *param.step > 0) {
        return *param.step;
    }
    if (isWhole(param)) {
        return 1;
    }
    const double range =
        param.softMin && param.softMax ? std::abs(*param.softMax - *param.softMin) : 1;
    return std::pow(10.0, std::floor(std::log10(std::max(range, 1e-6))) - 2);
}

int decimalsOf(const ParamDesc& param) {
    if (isWhole(param)) {
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
    if (value.is_number_integer() && isWhole(param)) {
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
    if (isWhole(param)) {
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

}  // namespace lowtide::ui
