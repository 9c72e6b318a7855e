#include "plugin/sampling/step_caches/gates/output_change_gate.hpp"

#include "plugin/sampling/step_caches/gates/setting_check.hpp"

#include <cmath>

namespace lowtide::sampling {

namespace {

class OutputChangeGate final : public StepGate {
public:
    explicit OutputChangeGate(const OutputChangeSettings& settings) : settings_(settings) {
        checkSetting("threshold", settings.threshold, 0);
        settings.active.check("end");
    }

    [[nodiscard]] GateMeasure measure() const override { return GateMeasure::Output; }

    [[nodiscard]] bool wantsReuse(const GateStep& step) const override {
        const bool isKnown = std::isfinite(step.change) && step.change > 0;
        return isKnown && settings_.active.holds(step.step, step.stepCount) &&
               accumulated_ + step.change < settings_.threshold;
    }

    void noteComputed(const GateStep& /*step*/) override { accumulated_ = 0; }

    void noteReused(const GateStep& step) override { accumulated_ += step.change; }

private:
    OutputChangeSettings settings_;
    double accumulated_ = 0;
};

}  // namespace

std::unique_ptr<StepGate> outputChangeGate(const OutputChangeSettings& settings) {
    return std::make_unique<OutputChangeGate>(settings);
}

}  // namespace lowtide::sampling
