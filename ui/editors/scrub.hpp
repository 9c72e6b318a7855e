#pragma once
// How far a drag moves a number: pure arithmetic.

#include "plugin/base/json_fwd.hpp"
#include "plugin/host_api/host.hpp"

#include <Qt>

#include <optional>

namespace lowtide::ui {

struct ScrubSpeed {
    double perPixel = 0;  ///< how much a pixel adds
    double quantum = 1;   ///< what the added amount is a multiple of
    double step = 1;      ///< of a key or a notch of the wheel
};

/// The soft range takes about 240 pixels, a number without one four pixels a step. Ctrl is ten
/// times as coarse, Shift ten times as fine, down to 1 for whole numbers.
[[nodiscard]] ScrubSpeed scrubSpeed(const ParamDesc& param, Qt::KeyboardModifiers modifiers);

/// Where a drag that began at `start` is after `travel`: within the soft range, or between it and
/// a start that lies outside, and within the hard range.
[[nodiscard]] long double scrubbed(const ParamDesc& param,
                                   long double start,
                                   long double travel,
                                   double quantum);

[[nodiscard]] long double withinHardRange(const ParamDesc& param, long double number);
/// Without the dust of sums: as many decimals as the step and a tenth of it need.
[[nodiscard]] long double rounded(const ParamDesc& param, long double number);

/// The value's place in the soft range, 0 to 1; nothing without a range or a number.
[[nodiscard]] std::optional<double> softShare(const ParamDesc& param, const Json& value);

}  // namespace lowtide::ui
