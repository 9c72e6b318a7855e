#pragma once
// Numbers of the kinds Int, Float and Seed, as they are read, typed and dragged: pure arithmetic.

#include "plugin/base/json.hpp"
#include "plugin/host_api/host.hpp"

#include <QString>
#include <Qt>

#include <optional>

namespace lowtide::ui {

/// Kinds whose values have no fraction.
[[nodiscard]] bool isInteger(const ParamDesc& param);
/// The step of the parameter; where it states none, one that suits its kind and range.
[[nodiscard]] double stepOf(const ParamDesc& param);
/// The digits behind the point that the step needs.
[[nodiscard]] int decimalsOf(const ParamDesc& param);
/// The number without its unit, with at least the step's decimals and never fewer than it has;
/// a value that is no number as JSON.
[[nodiscard]] QString numberText(const ParamDesc& param, const Json& value);
/// The unit behind the number: "steps", of one "step"; empty: none.
[[nodiscard]] QString unitText(const ParamDesc& param, const Json& value);
/// The value as a number; nothing when it is none.
[[nodiscard]] std::optional<long double> numberOf(const Json& value);

/// A number as a value of the parameter's kind, or the sentence that refuses it: fractions where
/// whole numbers are needed, more than 64 bits, beyond the hard range.
struct TypedValue {
    std::optional<Json> value;
    QString problem;
};

[[nodiscard]] TypedValue valueFrom(const ParamDesc& param, long double number);
/// The sentence that refuses a value, with what is accepted; empty: it fits.
[[nodiscard]] QString refusalOf(const ParamDesc& param, const Json& value);

/// What typed arithmetic gives: a number, or why it is none. Long doubles hold every 64-bit
/// integer.
struct Evaluated {
    std::optional<long double> number;
    QString problem;
};

/// Reads numbers, `+ - * /` and brackets: "512+64", "(1+2)*3". A text that begins with `+`, `*` or
/// `/`, or with `+=`, `-=`, `*=`, `/=`, goes on from `current`; "-5" is a negative number. A comma
/// counts as a decimal point.
[[nodiscard]] Evaluated evaluate(const QString& text, long double current);

struct ScrubSpeed {
    double perPixel = 0;  ///< how much a pixel adds
    double quantum = 1;   ///< what the added amount is a multiple of
    double step = 1;      ///< of a key or a notch of the wheel
};

/// The soft range takes about 240 pixels, a number without one four pixels a step. Ctrl is ten
/// times as coarse, Shift ten times as fine, down to 1 for whole numbers.
[[nodiscard]] ScrubSpeed scrubSpeed(const ParamDesc& param, Qt::KeyboardModifiers modifiers);

/// Where a drag that began at `start` is after `distance`: within the soft range, or between it and
/// a start that lies outside, and within the hard range.
[[nodiscard]] long double scrubbed(const ParamDesc& param,
                                   long double start,
                                   long double distance,
                                   double quantum);

[[nodiscard]] long double withinHardRange(const ParamDesc& param, long double number);
/// Without the dust of sums: as many decimals as the step and a tenth of it need.
[[nodiscard]] long double rounded(const ParamDesc& param, long double number);

/// The value's place in the soft range, 0 to 1; nothing without a range or a number.
[[nodiscard]] std::optional<double> softFraction(const ParamDesc& param, const Json& value);

}  // namespace lowtide::ui
