#pragma once
// What is measured: what the memories hold at a moment, and what the copy queues did in a stage.

#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "plugin/memory/device_spec.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
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
    Bytes spilled = 0;         ///< the most that lay beyond the GPU
    Bytes spilledTouched = 0;  ///< of it read or written, every time counted
};

[[nodiscard]] Json toJson(const RehearsalCounts& counts);

/// How long a device's copy queue worked, and how long compute stood still for it.
struct CopyTimes {
    Seconds copy = 0;
    Seconds wait = 0;
};

/// Forwards of one access pattern in a stage, and what they brought to the device. What is copied
/// ahead counts for the forward that orders it.
struct PatternTraffic {
    int64_t forwards = 0;
    Bytes moved = 0;

    bool operator==(const PatternTraffic&) const = default;
};

/// By number of the pattern.
using PatternsTraffic = std::map<uint32_t, PatternTraffic>;

/// One stage of a run, measured from the entering of its node to the leaving.
struct StageTraffic {
    std::string node;
    Seconds seconds = 0;
    Bytes bytesToDevice = 0;  ///< of weights that move in groups
    int64_t misses = 0;       ///< leases of a group that nobody had brought
    PatternsTraffic patterns{};
    /// By device, where weights of the stage are copied; a device that reads them where their file
    /// is mapped has no copy queue and is missing.
    std::map<std::string, CopyTimes, std::less<>> copyQueues{};

    /// What the stage did besides waiting for copies; all of it where nothing is copied.
    [[nodiscard]] Seconds compute() const;
    /// The shortest time that it could have taken, max(compute, copy); empty where nothing is
    /// copied.
    [[nodiscard]] std::optional<Seconds> lowerBound() const;
    /// lowerBound() / seconds, 1 at best; empty where nothing is copied.
    [[nodiscard]] std::optional<double> efficiency() const;
};

/// [{"pattern", "passes", "moved"}].
[[nodiscard]] Json toJson(const PatternsTraffic& patterns);

/// [{"node", "seconds", "compute", "moved", "misses", "patterns", "lanes": {"fake": {"copy",
/// "wait"}}, "bound", "efficiency"}]; the last two are null where nothing is copied.
[[nodiscard]] Json toJson(const std::vector<StageTraffic>& stages);

}  // namespace lowtide::memory
