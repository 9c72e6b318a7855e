#include "plugin/sampling/step_caches/gates/first_block_gate.hpp"

#include "plugin/sampling/step_caches/gates/setting_check.hpp"

#include <cmath>

namespace lowtide::sampling {

namespace {

class FirstBlockGate final : public StepGate {
public:
    explicit FirstBlockGate(double threshold) : threshold_(threshold) {
        checkSetting("threshold", threshold, 0);
    }

    [[nodiscard]] GateMeasure measure() const override { return GateMeasure::FirstBlock; }

    [[nodiscard]] bool wantsReuse(const GateStep& step) const override {
        return threshold_ > 0 && std::isfinite(step.change) && step.change <= threshold_;
    }

private:
    double threshold_;
};

}  // namespace

std::unique_ptr<StepGate> firstBlockGate(double threshold) {
    return std::make_unique<FirstBlockGate>(threshold);
}

}  // namespace lowtide::sampling
