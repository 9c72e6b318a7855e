#pragma once

#include "plugin/memory/device_spec.hpp"
#include "plugin/models/calibration/scratch_weights.hpp"

namespace lowtide::residency {
class Residency;
}

namespace lowtide::models {

/// What a pass takes: each leaf its overhead, and the operations that the shape walk counts.
struct ComputeSpeeds {
    double flopsPerSecond = 0;
    Seconds leafOverhead = 0;
};

/// Two passes of a UNet, one so small that only its leaves take time, one large; both with all that
/// stands between the products, which the plan does not count on its own. Error{OutOfMemory} when
/// the device has no room for them (about 200 MiB).
[[nodiscard]] ComputeSpeeds measureCompute(residency::Residency& residency,
                                           const memory::DeviceSpec& device,
                                           const ScratchWeights& scratch);

}  // namespace lowtide::models
