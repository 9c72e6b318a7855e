#pragma once

#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"

#include <string>

namespace lowtide::memory {

/// How fast a device is, for predicted times: measured once, or a guess by its kind.
struct DeviceProfile {
    double copyBytesPerSecond =
        0;                      ///< from files or host memory to the device, conversion included
    Seconds copyOverhead = 0;   ///< of each copy
    double flopsPerSecond = 0;  ///< of large matrix products and convolutions
    Seconds leafOverhead = 0;   ///< of each use of a leaf: kernel starts, small operators
    bool isEstimated = true;    ///< nobody measured this device

    bool operator==(const DeviceProfile&) const = default;
};

/// A guess for devices that nobody measured, by kind ("cpu", "fake", "cuda").
[[nodiscard]] DeviceProfile estimatedProfile(std::string_view kind);

}  // namespace lowtide::memory
