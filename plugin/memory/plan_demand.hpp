#pragma once
// The demand of a plan: bytes of slots, stages and devices, seconds of nodes.

#include "plugin/memory/plan.hpp"
#include "plugin/memory/plan_intervals.hpp"

#include <vector>

namespace lowtide::memory {

/// What a run takes while its components lie as they were laid out.
struct Demand {
    std::vector<PlannedSlot> slots;
    std::vector<StagePlan> stages;    ///< without times
    std::vector<DevicePlan> devices;  ///< in the order of the request's, without minimums
};

/// `layouts`: one for each residency.
[[nodiscard]] Demand demandOf(const PlanRequest& request,
                              const Intervals& intervals,
                              const std::vector<ChosenLayout>& layouts);

/// `stages` with the seconds and bytes that a residency adds to them, played over all its uses on a
/// clock.
[[nodiscard]] std::vector<StagePlan> withTimesOf(uint32_t residency,
                                                 std::vector<StagePlan> stages,
                                                 const PlanRequest& request,
                                                 const Intervals& intervals,
                                                 const std::vector<ChosenLayout>& layouts);

}  // namespace lowtide::memory
