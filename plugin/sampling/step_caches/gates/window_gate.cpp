#include "plugin/sampling/step_caches/gates/window_gate.hpp"

#include "plugin/sampling/step_caches/gates/setting_check.hpp"
#include "plugin/sampling/step_caches/gates/step_range.hpp"

#include <algorithm>

namespace lowtide::sampling {

namespace {

constexpr double kWidest = 1000;  ///< steps; keeps the window a whole number that fits

class WindowGate final : public StepGate {
public:
    explicit WindowGate(const WindowSettings& settings)
        : settings_(settings), window_(settings.window) {
        checkSetting("window", settings.window, 1, kWidest);
        checkSetting("window_growth", settings.growth, 0, kWidest);
        checkSetting("warm_up", settings.warmUp, 0, kWidest);
        checkSetting("end", settings.stopShare, 0, 1);
    }

    [[nodiscard]] bool wantsReuse(const GateStep& step) const override {
        if (step.step < settings_.warmUp ||
            step.step >= stepAtShare(settings_.stopShare, step.stepCount)) {
            return false;
        }
        return (reused_ + 1) % static_cast<int>(window_) != 0;
    }

    void noteComputed(const GateStep& step) override {
        if (step.step >= settings_.warmUp) {
            window_ = std::min(window_ + settings_.growth, kWidest);
        }
        reused_ = 0;
    }

    void noteReused(const GateStep& /*step*/) override { ++reused_; }

private:
    WindowSettings settings_;
    double window_;
    int reused_ = 0;
};

}  // namespace

std::unique_ptr<StepGate> windowGate(const WindowSettings& settings) {
    return std::make_unique<WindowGate>(settings);
}

}  // namespace lowtide::sampling
