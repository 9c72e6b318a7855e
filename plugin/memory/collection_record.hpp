#pragma once

#include "plugin/base/json.hpp"
#include "plugin/memory/collection.hpp"

#include <string>

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

}  // namespace lowtide::memory
