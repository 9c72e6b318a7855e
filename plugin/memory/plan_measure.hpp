#pragma once

#include "plugin/memory/plan.hpp"

namespace lowtide::memory {

/// What places, stages and devices take with the layouts that the plan's stays have. Stages lose
/// the times that they had.
void measurePlan(Plan& plan, const PlanRequest& request);

}  // namespace lowtide::memory
