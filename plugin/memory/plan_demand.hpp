#pragma once
// The demand of a plan: bytes of places, stages and devices, seconds of nodes.

#include "plugin/memory/plan.hpp"

#include <set>

namespace lowtide::memory {

/// What places, stages and devices take with the layouts that the plan's stays have. Stages lose
/// the times that they had.
void measurePlan(Plan& plan, const PlanRequest& request);

/// What a node is counted to do with a tree; nullptr when nothing is known.
[[nodiscard]] const ComponentWork* workOf(const NodeWork& node, const ComponentTree& tree);

/// Nodes in which a component comes again because others take their turns at its place.
[[nodiscard]] std::set<NodeIndex> alternatingNodes(const Plan& plan, const PlanRequest& request);

/// Plays a stay over all its uses on a clock, and adds seconds and bytes to the stages of the plan.
void predictStay(Plan& plan, const PlanRequest& request, uint32_t stay);

}  // namespace lowtide::memory
