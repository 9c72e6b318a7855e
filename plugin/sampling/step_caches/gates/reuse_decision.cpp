#include "plugin/sampling/step_caches/gates/reuse_decision.hpp"

#include "plugin/base/error.hpp"
#include "plugin/sampling/step_caches/gates/setting_check.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::sampling {

void ReuseLimits::check() const {
    checkSetting("warm_up", warmUp, 0);
    checkSetting("max_consecutive", mostInARow.value_or(1), 1);
    checkSetting("keep_last", keepLast, 0);
}

bool ReuseLimits::leaveSteps(int stepCount) const {
    return std::max(1, warmUp) < stepCount - keepLast;
}

ReuseDecision::ReuseDecision(std::unique_ptr<StepGate> gate, const ReuseLimits& limits)
    : gate_(std::move(gate)), limits_(limits) {
    LOWTIDE_ASSERT(gate_ != nullptr);
    limits_.check();
}

bool ReuseDecision::isOpen(int step, int stepCount) const {
    const bool isRowFull = limits_.mostInARow && inARow_ >= *limits_.mostInARow;
    return step >= limits_.warmUp && step < stepCount - limits_.keepLast && !isRowFull;
}

bool ReuseDecision::wantsReuse(const GateStep& step) const {
    return isOpen(step.step, step.stepCount) && gate_->wantsReuse(step);
}

void ReuseDecision::noteComputed(const GateStep& step) {
    inARow_ = 0;
    gate_->noteComputed(step);
}

void ReuseDecision::noteReused(const GateStep& step) {
    ++inARow_;
    gate_->noteReused(step);
}

}  // namespace lowtide::sampling
