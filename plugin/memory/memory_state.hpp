#pragma once

#include "plugin/base/json.hpp"
#include "plugin/memory/device_spec.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace lowtide::memory {

/// What a device and the host hold at one moment, measured and not from the ledger.
struct MemoryState {
    Bytes deviceUsed =
        0;  ///< held by the device's allocator; the resident set where it is the host
    Bytes deviceCapacity = 0;
    Bytes hostUsed = 0;  ///< the process's resident set
    Bytes hostTotal = 0;
    Bytes deviceCollectable = 0;  ///< at most this much a collection gives back on the device
    Bytes hostCollectable = 0;    ///< the same in host memory
    int64_t retries = 0;      ///< allocations that succeeded after the allocator had emptied itself
    int64_t outOfMemory = 0;  ///< allocations that failed since the device was opened
    bool deviceIsHost = false;  ///< both figures are of one memory
};

/// What a rehearsing device counted since it was opened.
struct RehearsalCounts {
    std::array<int64_t, kAllocationKindCount> allocations{};  ///< tried, by kind
    /// Numbers of the activations that outlived the stage which made them: values on wires.
    std::vector<int64_t> activationsOnWires;
    Bytes held = 0;            ///< on the device now, from its own allocator
    Bytes spilled = 0;         ///< the most that lay beyond the card
    Bytes spilledTouched = 0;  ///< of it read or written, every time counted
};

[[nodiscard]] Json toJson(const RehearsalCounts& counts);

}  // namespace lowtide::memory
