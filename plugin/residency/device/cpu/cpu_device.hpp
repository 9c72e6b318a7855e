#pragma once

#include "plugin/residency/device/device.hpp"

#include <memory>

namespace lowtide::residency {

/// The CPU as a device: weights are used where their files are mapped or in arenas of host memory;
/// tensors are counted on attached threads.
[[nodiscard]] std::unique_ptr<Device> openCpuDevice();

}  // namespace lowtide::residency
