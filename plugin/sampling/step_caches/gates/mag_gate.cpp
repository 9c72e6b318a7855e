#include "plugin/sampling/step_caches/gates/mag_gate.hpp"

#include "plugin/sampling/step_caches/gates/setting_check.hpp"
#include "plugin/sampling/step_caches/gates/step_range.hpp"

#include <cmath>
#include <utility>

namespace lowtide::sampling {

namespace {

class MagGate final : public StepGate {
public:
    MagGate(const MagSettings& settings, std::vector<double> ratios)
        : settings_(settings), ratios_(std::move(ratios)) {
        checkSetting("threshold", settings.threshold, 0);
        checkSetting("max_consecutive", settings.mostSkips, 1);
        checkSetting("kept_share", settings.keptShare, 0, 1);
    }

    [[nodiscard]] bool wantsReuse(const GateStep& step) const override {
        if (step.step < stepAtShare(settings_.keptShare, step.stepCount)) {
            return false;
        }
        const Skips next = after(step.step);
        // Not true either where a ratio is not finite.
        return settings_.threshold > 0 && next.error <= settings_.threshold &&
               next.count <= settings_.mostSkips;
    }

    void noteComputed(const GateStep& /*step*/) override { skips_ = {}; }

    void noteReused(const GateStep& step) override { skips_ = after(step.step); }

private:
    /// Steps since the last computed one.
    struct Skips {
        double ratio = 1;
        double error = 0;
        int count = 0;
    };

    [[nodiscard]] Skips after(int step) const {
        const auto index = static_cast<size_t>(step);
        const double ratio = skips_.ratio * (index < ratios_.size() ? ratios_[index] : 1.0);
        return {
            .ratio = ratio, .error = skips_.error + std::abs(1 - ratio), .count = skips_.count + 1};
    }

    MagSettings settings_;
    std::vector<double> ratios_;
    Skips skips_;
};

}  // namespace

std::unique_ptr<StepGate> magGate(const MagSettings& settings, std::vector<double> ratios) {
    return std::make_unique<MagGate>(settings, std::move(ratios));
}

}  // namespace lowtide::sampling
