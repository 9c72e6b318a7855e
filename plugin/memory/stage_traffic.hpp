#pragma once

#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"

#include <cstdint>
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

/// Passes of one access pattern in a stage, and what they brought to the device. What is copied
/// ahead counts for the pass that orders it.
struct PatternTraffic {
    int64_t passes = 0;
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

/// [{"pattern", "passes", "moved"}].
[[nodiscard]] Json toJson(const PatternsTraffic& patterns);

/// [{"node", "seconds", "compute", "moved", "misses", "patterns", "lanes": {"fake": {"copy",
/// "wait"}}, "bound", "efficiency"}]; the last two are null where nothing is copied.
[[nodiscard]] Json toJson(const std::vector<StageTraffic>& stages);

}  // namespace lowtide::memory
