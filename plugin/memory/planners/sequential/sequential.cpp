#include "plugin/memory/planner.hpp"

namespace lowtide::memory {

/// The least memory: a leaf arrives when it is used and makes room for the next one.
PlannerType sequential() {
    return {.name = "sequential",
            .summary = "one leaf at a time; nothing stays, nothing is copied ahead",
            .lifetime = Lifetime::Stage,
            .mayPin = true,
            .lay = [](const LayoutRequest& request) {
                Layout layout = groupByLeaf(request.tree);
                layout.mostInRing = 1;
                return streamedLayout(std::move(layout), request);
            }};
}

}  // namespace lowtide::memory
