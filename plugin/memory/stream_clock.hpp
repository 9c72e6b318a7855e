#pragma once

#include "plugin/memory/device_profile.hpp"
#include "plugin/memory/layout.hpp"
#include "plugin/memory/stage_work.hpp"

#include <vector>

namespace lowtide::memory {

/// One use of a group in a pass, and how long compute takes with it.
struct GroupUse {
    GroupId group = 0;
    Seconds compute = 0;
};

/// What passes over a layout take on a clock with one compute lane and one copy lane; nothing
/// sleeps and nothing is copied.
struct StreamTimes {
    Seconds total = 0;
    Seconds firstPass = 0;
    Seconds compute = 0;   ///< of all passes, alone
    Seconds copy = 0;      ///< of all copies, alone
    Bytes moved = 0;       ///< to the device
    Bytes movedFirst = 0;  ///< of these until the end of the first pass
    int64_t misses = 0;
    int64_t missesFirst = 0;  ///< of these in the first pass

    /// Shortest time of a pass after the first: compute or copies alone, whichever is longer.
    [[nodiscard]] Seconds boundPerPass(int64_t passes) const;
};

/// The uses of one pass of `work` under `layout`, neighbours with the same group as one.
[[nodiscard]] std::vector<GroupUse> groupUses(const Layout& layout,
                                              const ComponentWork& work,
                                              const DeviceProfile& profile);

/// Runs `passes` passes. Residents arrive first, in the order of their use, while compute follows.
[[nodiscard]] StreamTimes timePasses(const Layout& layout,
                                     const std::vector<GroupUse>& pass,
                                     int64_t passes,
                                     const DeviceProfile& profile);

}  // namespace lowtide::memory
