#include "plugin/memory/plan.hpp"

namespace lowtide::memory {

/// On the device from first use to the end of the run.
PlannerType none() {
    return {"none",
            "on the device from first use to the end of the run",
            [](const ComponentTree& tree, const DeviceTraits& traits) {
                return Placement{.arenaBytes = slotBytes(tree, traits), .sharesRegion = false};
            }};
}

}  // namespace lowtide::memory
