#pragma once
// Whether a collection runs, and the record of one that did.

#include "plugin/base/json.hpp"
#include "plugin/memory/device_spec.hpp"
#include "plugin/memory/measurements.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace lowtide::memory {

/// Whether a device is treated as a small one: by its capacity, or as a user sets it.
enum class LowMemory : uint8_t { Auto, On, Off };

/// "auto", "on", "off". Error{InvalidInput} with the accepted words for anything else.
[[nodiscard]] LowMemory parseLowMemory(std::string_view text);
[[nodiscard]] std::string_view nameOf(LowMemory setting) noexcept;

inline constexpr int kDefaultCollectionThreshold = 70;
/// A device of at most this capacity is a low-memory device under LowMemory::Auto.
inline constexpr Bytes kLowMemoryCapacity = 8 * kGiB;
/// A collection that gives back less than this counts as one that can free nothing.
inline constexpr Bytes kLeastCollection = kMiB;

/// What a user set for collections.
struct CollectionSettings {
    int threshold = kDefaultCollectionThreshold;  ///< percent, 0 to 100
    LowMemory lowMemory = LowMemory::Auto;
};

/// `percent` when it is 0 to 100. Error{InvalidInput} names `what` otherwise.
[[nodiscard]] int checkedThreshold(int64_t percent, const char* what);

/// What a backend does not stand (docs/backends.md).
struct BackendTraits {
    bool mayAlwaysCollect = true;  ///< false: a threshold of 0 is never used
};

/// Derived from what a device states about itself: a name that ends in "[ZLUDA]" is ZLUDA's.
[[nodiscard]] BackendTraits backendTraits(const DeviceInfo& device);

/// How full the memories are, in percent.
struct Utilization {
    double device = 0;
    double host = 0;

    [[nodiscard]] double highest() const noexcept { return device > host ? device : host; }
};

[[nodiscard]] Utilization utilizationOf(const MemoryState& state) noexcept;

enum class CollectionReason : uint8_t {
    BelowThreshold,    ///< does not run
    NothingToFree,     ///< would run, but it is skipped
    Forced,            ///< a user's node asks for it whatever the utilisation is
    FailedAllocation,  ///< the allocator failed since the last collection
    Threshold,         ///< a memory is as full as the user's threshold
    LowMemoryDevice,   ///< a low-memory device collects always
};

[[nodiscard]] std::string_view nameOf(CollectionReason reason) noexcept;

/// What is known at a point where a collection may run.
struct CollectionQuestion {
    CollectionSettings settings;
    DeviceInfo device;
    MemoryState state;
    Bytes deadCaches = 0;              ///< host bytes of results that this run's graph cannot use
    Bytes pinned = 0;                  ///< host bytes for copies of weights that nobody uses now
    bool hasFailedAllocation = false;  ///< since the last collection on this device
    bool isForced = false;
};

struct CollectionDecision {
    bool run = false;
    int threshold = kDefaultCollectionThreshold;  ///< the one that was used
    CollectionReason reason = CollectionReason::BelowThreshold;
    bool unpins = false;  ///< host memory is short: what is pinned and not used goes

    /// Dead caches go under pressure only, not because a low-memory device always collects.
    [[nodiscard]] bool dropsCaches() const noexcept {
        return run && reason != CollectionReason::LowMemoryDevice;
    }
};

/// Whether a collection runs. It does when it is forced, when the allocator failed since the last
/// one, or when device or host are as full as the threshold; a low-memory device uses 0 unless its
/// backend forbids it, which then uses the user's threshold and never 0. One that can free
/// nothing does not run, unless it is forced. Source: design section 7.
[[nodiscard]] CollectionDecision decideCollection(const CollectionQuestion& question);

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

}  // namespace lowtide::memory
