#pragma once

#include "plugin/host_api/runner.hpp"

namespace lowtide {

/// Measures devices, so that plans predict times of this machine. Plugin::extension(kCalibrator)
/// gives it once the plugin was started.
class Calibrator {
public:
    virtual ~Calibrator() = default;
    /// Measures one device ({"device": "cpu"}) and keeps the speeds for later plans; takes some
    /// seconds. `result` has "measured" and "estimated" speeds, "stored" and "notes", or "issues":
    /// Invalid when the speeds cannot be kept, Failed while a run is at work.
    virtual Status calibrate(std::string_view options, std::string& result) noexcept = 0;
};

inline constexpr const char* kCalibrator = "lowtide.calibrator/1";

}  // namespace lowtide
