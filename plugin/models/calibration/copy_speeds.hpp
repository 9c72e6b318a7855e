#pragma once

#include "plugin/memory/device_spec.hpp"
#include "plugin/models/calibration/scratch_weights.hpp"

namespace lowtide::residency {
class Residency;
}

namespace lowtide::models {

/// How weights come to a device, in bytes that arrive there.
struct CopySpeeds {
    double bytesPerSecond = 0;           ///< as they are
    double convertedBytesPerSecond = 0;  ///< f16 in the file, f32 on the device
    double mappedBytesPerSecond = 0;     ///< read where the file is mapped; 0: this device does not
    double pinnedBytesPerSecond = 0;     ///< from pinned memory; 0: there is too little of it
    Seconds overhead = 0;                ///< of each copy
};

/// From a file that the system holds in memory. Error{OutOfMemory} when the device has no room for
/// a few megabytes.
[[nodiscard]] CopySpeeds measureCopies(residency::Residency& residency,
                                       const memory::DeviceSpec& device,
                                       const ScratchWeights& scratch);

}  // namespace lowtide::models
