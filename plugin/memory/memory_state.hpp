#pragma once

#include "plugin/base/units.hpp"

#include <cstdint>

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

}  // namespace lowtide::memory
