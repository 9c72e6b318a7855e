#pragma once

#include "plugin/memory/plan.hpp"

#include <optional>

namespace lowtide::memory {

/// The first stage that does not fit into a device, with what it needs; nothing: the plan fits.
[[nodiscard]] std::optional<Infeasible> firstTooLarge(const Plan& plan);

/// Adds the smallest change with which the run fits: of the node's policy where one helps.
void findCheapestFix(const PlanRequest& request, Infeasible& infeasible);

}  // namespace lowtide::memory
