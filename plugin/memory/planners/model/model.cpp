#include "plugin/memory/planner.hpp"

namespace lowtide::memory {

/// A component arrives whole when its stage begins and leaves when another one needs the device.
/// With +stream it arrives while the stage before it still runs.
PlannerType model() {
    return {.name = "model",
            .summary = "whole while its stage runs; at most one such component is on the device",
            .lifetime = Lifetime::Turn,
            .mayStream = true,
            .mayKeep = true,
            .lay = wholeLayout};
}

}  // namespace lowtide::memory
