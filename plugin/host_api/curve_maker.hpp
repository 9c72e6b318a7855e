#pragma once

#include "plugin/host_api/runner.hpp"

namespace lowtide {

/// Makes curves for step caches from what runs recorded. Plugin::extension(kCurveMaker) gives it
/// once the plugin was started.
class CurveMaker {
public:
    virtual ~CurveMaker() = default;
    /// `records`: {"runs": [...], "held_out": [...], "tolerance": 0.06}, each run as its report has
    /// it under "cache_record". `result` has "curve", what the curve's file shall hold, or
    /// "issues": Invalid when records are missing or do not belong together, or when the curve
    /// misses one that was held out by more than the tolerance.
    virtual Status makeCurve(std::string_view records, std::string& result) noexcept = 0;
};

/// The node type that records, in the place of a step cache.
inline constexpr const char* kCurveRecorder = "cache.mag_record";

inline constexpr const char* kCurveMaker = "lowtide.curve_maker/1";

}  // namespace lowtide
