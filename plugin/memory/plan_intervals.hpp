#pragma once
// The intervals of a plan: who uses what, and from when to when it holds a slot.

#include "plugin/memory/plan.hpp"

#include <set>
#include <string>
#include <vector>

namespace lowtide::memory {

/// Who uses what in a run, and from when to when it holds a slot: all that is known of a plan
/// before its sizes.
struct Intervals {
    std::vector<PlannedComponent> components;
    std::vector<PlannedUse> uses;
    std::vector<ComponentInterval> residencies;
    std::vector<PlannedSlot> slots;  ///< without bytes
    /// Residencies of one node and device that live together, and share its space.
    std::vector<std::vector<uint32_t>> together;
};

struct IntervalOptions {
    bool keepsAll = false;           ///< residencies of Lifetime::Uses last from first to last use
    std::set<NodeIndex> together{};  ///< nodes whose components live together instead of in turns
};

/// Error{Unsupported} for a policy that is not built, Error{InvalidInput} for a combination that
/// means nothing.
[[nodiscard]] Intervals intervalsOf(const PlanRequest& request, const IntervalOptions& options);

/// What a node is counted to do with a tree; nullptr when nothing is known.
[[nodiscard]] const ComponentWork* workOf(const NodeWork& node, const ComponentTree& tree);

/// Forwards of the use's component in its node, one number for each time that it is brought; none
/// where they are not known.
[[nodiscard]] std::vector<int64_t> burstsOf(const PlanRequest& request,
                                            const Intervals& intervals,
                                            const PlannedUse& use);

/// Nodes in which a component comes again because others take their turns in its slot.
[[nodiscard]] std::set<NodeIndex> alternatingNodes(const PlanRequest& request,
                                                   const Intervals& intervals);

/// Whether a control node before `node` sends the component away.
[[nodiscard]] bool isOffloadedBefore(const PlanRequest& request,
                                     const KeptComponent& kept,
                                     NodeIndex node);

/// Whether a node of the request computes with the tree of this id on this device.
[[nodiscard]] bool usesOn(const PlanRequest& request,
                          const std::string& tree,
                          const std::string& device);

[[nodiscard]] const PlanDevice& deviceOf(const PlanRequest& request, const DeviceSpec& spec);

}  // namespace lowtide::memory
