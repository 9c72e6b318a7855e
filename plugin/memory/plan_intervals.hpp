#pragma once
// The intervals of a plan: who uses what, and from when to when it holds a place.

#include "plugin/memory/plan.hpp"
#include "plugin/memory/planner.hpp"

#include <set>
#include <vector>

namespace lowtide::memory {

/// What a run wants of memory before sizes are decided: who uses what, and from when to when it
/// holds a place.
struct StaySketch {
    Plan plan;  ///< components, uses, stays without layouts and places
    std::vector<const PlannerType*> planners;  ///< per stay
    /// Stays of one node and device that live together, and share its room.
    std::vector<std::vector<uint32_t>> together{};
};

struct SketchOptions {
    bool keepsAll = false;           ///< stays of Lifetime::Uses last from first to last use
    std::set<NodeIndex> together{};  ///< nodes whose components live together instead of in turns
};

/// Error{Unsupported} for a policy that is not built, Error{InvalidInput} for a combination that
/// means nothing.
[[nodiscard]] StaySketch sketchStays(const PlanRequest& request, const SketchOptions& options);

/// Whether a control node before `node` sends the component away.
[[nodiscard]] bool isOffloadedBefore(const PlanRequest& request,
                                     const KeptComponent& kept,
                                     NodeIndex node);

[[nodiscard]] const PlanDevice& deviceOf(const PlanRequest& request, const DeviceSpec& spec);

}  // namespace lowtide::memory
