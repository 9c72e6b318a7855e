#pragma once
// Numbers as people read and type them, of the kinds Int, Float and Seed.

#include "plugin/base/json.hpp"
#include "plugin/host_api/host.hpp"

#include <QString>

#include <optional>

namespace lowtide::ui {

/// Kinds whose values have no fraction.
[[nodiscard]] bool isWhole(const ParamDesc& param);
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

}  // namespace lowtide::ui
