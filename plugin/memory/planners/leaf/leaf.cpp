#include "plugin/memory/planner.hpp"

namespace lowtide::memory {

/// Every pass streams its leaves; with +stream copies run ahead through a ring of bytes.
PlannerType leaf() {
    return {.name = "leaf",
            .summary = "leaf by leaf in every pass; its own budget sets what stays",
            .lifetime = Lifetime::Stage,
            .mayStream = true,
            .takesBudget = true,
            .mayPin = true,
            .lay = [](const LayoutRequest& request) {
                Layout layout = groupByLeaf(request.tree);
                layout.mostInRing = request.policy.stream ? 0 : 1;
                return streamedLayout(std::move(layout), request);
            }};
}

}  // namespace lowtide::memory
