#include "plugin/memory/planner.hpp"

namespace lowtide::memory {

/// Every pass streams its blocks; with +stream one group is copied while another computes.
PlannerType block() {
    return {.name = "block",
            .summary = "block by block in every pass; its own budget sets what stays",
            .lifetime = Lifetime::Stage,
            .mayStream = true,
            .takesBudget = true,
            .mayPin = true,
            .lay = [](const LayoutRequest& request) {
                Layout layout = groupByBlock(request.tree, request.policy.blocksPerGroup);
                layout.mostInRing = request.policy.stream ? 2 : 1;
                return streamedLayout(std::move(layout), request);
            }};
}

}  // namespace lowtide::memory
