#pragma once

#include "plugin/executor/result_cache.hpp"
#include "plugin/memory/engine.hpp"
#include "plugin/memory/plan.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::executor {

/// What is done when a node ran out of memory, one rung of the ladder after the other: kept results
/// go, weights that nobody uses leave the devices, the node gets a tighter policy, its components
/// too. Each rung leaves the bits of the result as they are, and every component where it computes.
class Recovery {
public:
    /// `request`: what the run was planned from; nothing of the run has begun. Everything must
    /// outlive the recovery.
    Recovery(memory::PlanRequest request, memory::Engine& engine, ResultCache& cache);

    /// Takes the next rung for the node and says in words what was done; empty when the ladder is
    /// at its end. The node was left.
    [[nodiscard]] std::optional<std::string> next(memory::NodeIndex node);

    /// What the plan that holds was made of.
    [[nodiscard]] const memory::PlanRequest& request() const { return request_; }

    /// The plan that holds since a rung changed it; nullptr: the one of the beginning.
    [[nodiscard]] const std::shared_ptr<const memory::Plan>& plan() const { return plan_; }

private:
    [[nodiscard]] std::optional<std::string> freeMemory();
    [[nodiscard]] std::optional<std::string> tighten(memory::NodeIndex node);
    [[nodiscard]] Bytes cachedNow();
    void renewHeld();

    memory::PlanRequest request_;
    memory::Engine& engine_;
    ResultCache& cache_;
    const std::vector<memory::PlanDevice> devicesAtBegin_;
    const std::vector<memory::KeptComponent> keptAtBegin_;
    const std::vector<memory::PinnedComponent> pinnedAtBegin_;
    const Bytes cachedAtBegin_;  ///< of results, on the host
    Bytes cachedLeft_;           ///< the part of it that is still there at most
    std::shared_ptr<const memory::Plan> plan_;
    std::optional<memory::NodeIndex> node_;  ///< whose ladder it is
    size_t rung_ = 0;
};

}  // namespace lowtide::executor
