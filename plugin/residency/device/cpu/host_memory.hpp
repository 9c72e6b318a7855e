#pragma once

#include "plugin/base/units.hpp"

#include <string>

namespace lowtide::residency {

/// Memory of this machine, bounded by the control group that the process runs in.
struct HostMemory {
    Bytes total = 0;
    Bytes available = 0;
};

[[nodiscard]] HostMemory hostMemory();

/// The processor's name, "CPU" when the system does not say.
[[nodiscard]] std::string processorName();

}  // namespace lowtide::residency
