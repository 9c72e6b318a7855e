#include "plugin/memory/planner.hpp"

namespace lowtide::memory {

PlannerType none() {
    return {.name = "none",
            .summary = "on the device from first use to the end of the run",
            .lifetime = Lifetime::Run,
            .mayKeep = true,
            .lay = wholeLayout};
}

}  // namespace lowtide::memory
