#include "plugin/memory/plan.hpp"

namespace lowtide::memory {

/// A component arrives whole when its stage begins and leaves when another one needs the device:
/// all such components share one region, as large as the largest of them.
PlannerType model() {
    return {"model",
            "whole while its stage runs; at most one such component is on the device",
            [](const ComponentTree& tree, const DeviceTraits& traits) {
                return Placement{.arenaBytes = slotBytes(tree, traits), .sharesRegion = true};
            }};
}

}  // namespace lowtide::memory
