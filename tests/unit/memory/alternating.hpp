#pragma once
// A node of two networks that run in turn, to plan for.

#include "tests/unit/memory/plan_bench.hpp"

#include <numeric>

namespace lowtide::memory::plan_bench {

inline constexpr int64_t kSteps = 20;

[[nodiscard]] inline ComponentWork workOver(const std::shared_ptr<const ComponentTree>& tree,
                                            int64_t forwards,
                                            double flops) {
    ComponentWork work{.tree = tree, .forwards = forwards};
    for (LeafId leaf = 0; leaf < tree->leaves.size(); ++leaf) {
        work.forward.push_back({leaf, flops});
    }
    return work;
}

/// Leaves of a network that narrows and widens again.
[[nodiscard]] inline std::vector<int64_t> unevenLeaves(size_t count) {
    std::vector<int64_t> sizes;
    for (size_t i = 0; i < count; ++i) {
        sizes.push_back(128 * static_cast<int64_t>(1 + (i * 7) % 5 + (i > count / 3 ? 4 : 0)));
    }
    return sizes;
}

/// A node of two networks; the second runs before the first in each of its steps.
[[nodiscard]] inline PlanRequest controlled(const std::string& policy,
                                            const std::vector<int64_t>& denoiser,
                                            const std::vector<int64_t>& control,
                                            int64_t controlled = kSteps) {
    PlanRequest request = pipeline("model", policy, "model");
    NodeWork& node = request.nodes[1];
    node.components = {testing::tree("denoiser", denoiser), testing::tree("controlnet", control)};
    node.work.components = {workOver(node.components[0], kSteps, 1e8),
                            workOver(node.components[1], controlled, 1e8)};
    for (int64_t step = 0; step < kSteps; ++step) {
        if (step < controlled) {
            node.work.bursts.push_back({1, 1});
        }
        node.work.bursts.push_back({0, 1});
    }
    return request;
}

[[nodiscard]] inline Bytes bytesOf(const std::vector<int64_t>& leaves) {
    return 4 * std::accumulate(leaves.begin(), leaves.end(), int64_t{0});
}

}  // namespace lowtide::memory::plan_bench
