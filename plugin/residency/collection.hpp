#pragma once

#include "plugin/memory/memory_state.hpp"
#include "plugin/residency/device/cpu/host_memory.hpp"
#include "plugin/residency/device/device.hpp"

namespace lowtide::residency {

/// Measures what a device and the host hold, and gives back what nobody uses. Knows the heap as the
/// last collection left it: free blocks stay in the heap's books after their pages are gone, so
/// only what was freed since can be given back. One per engine; run thread only.
class Collector {
public:
    [[nodiscard]] memory::MemoryState stateOf(const Device& device) const;
    /// Cached blocks back to the device, free heap pages back to the system. Returns the measured
    /// bytes, of device and host.
    Bytes collectOn(Device& device);

private:
    [[nodiscard]] Bytes collectableHeap(const ProcessMemory& now) const;

    ProcessMemory afterLast_;
};

}  // namespace lowtide::residency
