#pragma once

#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::memory {

/// How long a device's copy lane worked, and how long compute stood still for it.
struct LaneTimes {
    Seconds copy = 0;
    Seconds wait = 0;
};

/// One stage of a run, measured from the entering of its node to the leaving.
struct StageTraffic {
    std::string node;
    Seconds seconds = 0;
    Bytes bytesToDevice = 0;  ///< of weights that move in groups
    int64_t misses = 0;       ///< leases of a group that nobody had brought
    /// By device, where weights of the stage are copied; a device that reads them where their file
    /// is mapped has no copy lane and is missing.
    std::map<std::string, LaneTimes, std::less<>> lanes{};

    /// What the stage did beside waiting for copies; all of it where nothing is copied.
    [[nodiscard]] Seconds compute() const;
    /// The shortest time that it could have taken, max(compute, copy); empty where nothing is
    /// copied.
    [[nodiscard]] std::optional<Seconds> lowerBound() const;
    /// lowerBound() / seconds, 1 at best; empty where nothing is copied.
    [[nodiscard]] std::optional<double> efficiency() const;
};

/// [{"node", "seconds", "compute", "moved", "misses", "lanes": {"fake": {"copy", "wait"}},
/// "bound", "efficiency"}]; the last two are null where nothing is copied.
[[nodiscard]] Json toJson(const std::vector<StageTraffic>& stages);

}  // namespace lowtide::memory
