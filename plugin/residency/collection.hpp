#pragma once

#include "plugin/memory/measurements.hpp"
#include "plugin/residency/device/cpu/host_memory.hpp"
#include "plugin/residency/device/device.hpp"

#include <chrono>

namespace lowtide::residency {

/// Measures what a device and the host hold, and gives back what nobody uses. Knows the heap as the
/// last collection left it: free blocks remain in the heap's accounting after their pages are gone,
/// so only what was freed since can be given back. One per engine; run thread only.
class Collector {
public:
    [[nodiscard]] memory::MemoryState stateOf(const Device& device) const;
    /// Cached blocks back to the device, free heap pages back to the system. Returns the measured
    /// bytes, of device and host.
    Bytes collectOn(Device& device);
    /// Gives free heap pages back when the process's private pages exceed `most` and enough of them
    /// are free: blocks of many sizes leave gaps that no ledger sees. Looks at most every few
    /// milliseconds, so it may be called before every operator.
    void keepBelow(Bytes most);

private:
    [[nodiscard]] Bytes collectableHeap(const ProcessMemory& now) const;

    ProcessMemory afterLast_;
    std::chrono::steady_clock::time_point lastLook_;
};

}  // namespace lowtide::residency
