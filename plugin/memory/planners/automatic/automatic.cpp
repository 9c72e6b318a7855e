#include "plugin/memory/planner.hpp"

namespace lowtide::memory {

/// Whole where there is room, else leaf by leaf with as much resident as makes it fastest.
PlannerType automatic() {
    return {.name = "auto",
            .summary = "the fastest that fits the budget: whole, or partly streamed",
            .lifetime = Lifetime::Uses,
            .mayPin = true,
            .mayKeep = true,
            .lay = [](const LayoutRequest& request) {
                Layout layout = groupByLeaf(request.tree);
                applyRequest(layout, request);
                layout.prefetches = true;
                return fastestLayout(std::move(layout), request);
            }};
}

}  // namespace lowtide::memory
