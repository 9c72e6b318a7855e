#pragma once

#include "plugin/sampling/step_caches/gates/mag_curve.hpp"

#include <vector>

namespace lowtide::sampling {

/// Ratios of one pass without a cache, one for each step, the first 1.
using MagRatios = std::vector<double>;

/// What a calibration is made from.
struct MagRecord {
    std::string checkpoint;
    std::string scheduler;
    std::vector<MagRatios> runs;     ///< seeds that make the curve
    std::vector<MagRatios> heldOut;  ///< other seeds, that check it
};

/// The mean ratios of the runs, checked against those that were held out. Errors:
/// Error{InvalidInput} when there are no runs or none to check with, when they differ in length or
/// when one holds what is no ratio.
[[nodiscard]] MagCurve calibratedCurve(const MagRecord& record);

/// Error{InvalidInput} that names step and deviation when the curve missed a held-out ratio by more
/// than `tolerance` (0.06 is what the gate accumulates at most by default).
void requireHolds(const MagCurve& curve, double tolerance);

}  // namespace lowtide::sampling
