#include "ui/editors/scrub.hpp"

#include "ui/editors/number_text.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

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
        speed.step = isWhole(param) ? std::max(1.0, std::round(step / kFactor)) : step / kFactor;
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
    if (isWhole(param)) {
        return std::round(number);
    }
    const long double scale = std::pow(10.0L, decimalsOf(param) + 1);
    return std::round(number * scale) / scale;
}

long double scrubbed(const ParamDesc& param,
                     long double start,
                     long double travel,
                     double quantum) {
    const long double moved = std::round(travel / quantum) * quantum;
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

std::optional<double> softShare(const ParamDesc& param, const Json& value) {
    const auto number = numberOf(value);
    if (!number || !param.softMin || !param.softMax || *param.softMax <= *param.softMin) {
        return std::nullopt;
    }
    const double share =
        (static_cast<double>(*number) - *param.softMin) / (*param.softMax - *param.softMin);
    return std::clamp(share, 0.0, 1.0);
}

}  // namespace lowtide::ui
