#pragma once

#include "plugin/memory/device_profile.hpp"
#include "plugin/memory/device_spec.hpp"

#include <string>

namespace lowtide::residency {
class Residency;
}

namespace lowtide::models {

/// Measures how fast a device copies and computes, in a few seconds: a small component of zeros
/// streams through the engine, a small UNet runs on two sizes of picture, both several times. The
/// caller states the day.
/// Errors: InvalidInput when `scratchFolder` cannot be written, OutOfMemory when the device is too
/// small. Run thread, no other run at work, the device is open.
[[nodiscard]] memory::DeviceProfile measureDevice(residency::Residency& residency,
                                                  const memory::DeviceSpec& device,
                                                  const std::string& scratchFolder);

}  // namespace lowtide::models
