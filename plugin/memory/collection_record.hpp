#pragma once

#include "plugin/base/json.hpp"
#include "plugin/memory/collection.hpp"

#include <span>
#include <string>
#include <vector>

namespace lowtide::memory {

/// One collection that ran.
struct CollectionRecord {
    std::string point;   ///< "decode", "prompt encode", ...
    std::string node;    ///< after which it ran
    std::string device;  ///< id
    CollectionReason reason = CollectionReason::Forced;
    int threshold = kDefaultCollectionThreshold;
    int64_t collected = 0;  ///< ledger entries that were dropped
    MemoryState before;
    MemoryState after;
    double seconds = 0;

    /// Bytes given back, measured: before - after of the device and, where it is a memory of its
    /// own, of the host. Below zero when others took more meanwhile.
    [[nodiscard]] Bytes saved() const noexcept;
};

/// "GC: utilization={'gpu': 71, 'ram': 12, 'threshold': 70} gc={'collected': 3, 'saved': 0.37}
/// before={'gpu': 1.67, 'ram': 3.75} after={'gpu': 1.30, 'ram': 3.75, 'retries': 0, 'oom': 0}
/// device=cuda:0 fn=decode time=0.02". Utilisation before it in percent, memories in GB of 2^30
/// bytes (on the CPU 'gpu' is the host), time in seconds. 'saved' is exactly what the printed
/// figures give.
[[nodiscard]] std::string toLine(const CollectionRecord& record);
[[nodiscard]] Json toJson(const CollectionRecord& record);

/// What was seen at one point, collected or not.
struct CollectionMeasurement {
    Utilization used;         ///< before a collection
    Utilization collectable;  ///< the part of it that could go, at most
    Utilization left;         ///< the part that could still go afterwards
    bool hasFailedAllocation = false;
    bool ran = false;
    double seconds = 0;  ///< that the collection took
};

struct ReplayedThreshold {
    int threshold = 0;
    int collections = 0;
    double highestUtilization = 0;  ///< percent, of either memory at any point
    double seconds = 0;             ///< collections x their mean time in the recorded run
};

struct Replay {
    std::vector<ReplayedThreshold> thresholds;
    int best = kDefaultCollectionThreshold;
};

/// The most percent of a memory that a threshold may let happen to be recommended: the default
/// budget keeps 5 % free.
inline constexpr double kReplayLimit = 95;

/// Plays a recorded run with other thresholds. What became collectable between two points
/// accumulates until utilisation reaches the threshold or an allocation failed there, then it is
/// gone; without any, nothing is collected. The best threshold needs the fewest collections of
/// those that stay below kReplayLimit at every point; of equal ones the lowest highest utilisation,
/// then the larger threshold. When none stays below, the one with the lowest highest utilisation is
/// best.
[[nodiscard]] Replay replay(std::span<const CollectionMeasurement> measurements,
                            std::span<const int> thresholds);
[[nodiscard]] Json toJson(const Replay& replay);

}  // namespace lowtide::memory
