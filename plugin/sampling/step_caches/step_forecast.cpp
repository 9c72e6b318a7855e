// The step forecast: whole calls of the network are foretold.

#include "plugin/base/error.hpp"
#include "plugin/base/json_fwd.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/step_caches/gates/reuse_decision.hpp"
#include "plugin/sampling/step_caches/gates/step_gate.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"
#include "plugin/sampling/step_caches/step_changes.hpp"
#include "plugin/sampling/step_caches/step_predictor.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace lowtide::sampling {

/// What a user chose for the step forecast.
struct StepForecastSettings {
    std::string gate;             ///< "output_change" or "window"
    OutputChangeSettings change;  ///< of the gate "output_change"
    WindowSettings window;        ///< of the gate "window"
    std::string predictor;        ///< "reuse", "taylor" or "spectrum"
    ReuseLimits limits;
};

/// Settings by the ids of the node's parameters. Error{InvalidInput} blames the setting.
[[nodiscard]] StepForecastSettings readStepForecast(const Json& settings);

StepForecastSettings readStepForecast(const Json& settings) {
    const SettingReader reader(settings, "the settings of the step forecast");
    const ReuseLimits limits = reader.limits();
    return {.gate = reader.choice("gate", {"output_change", "window"}),
            .change = {.threshold = reader.number("threshold"),
                       .active = {.begin = reader.number("start"), .end = reader.number("end")}},
            .window = {.window = reader.number("window"),
                       .growth = reader.number("window_growth"),
                       .warmUp = limits.warmUp,
                       .stopFraction = reader.number("end")},
            .predictor = reader.choice("predictor", {"reuse", "taylor", "spectrum"}),
            .limits = limits};
}

namespace {

constexpr const char* kReuse = "reuse";
constexpr const char* kSpectrum = "spectrum";

std::unique_ptr<StepGate> makeForecastGate(const StepForecastSettings& settings) {
    return settings.gate == "window" ? windowGate(settings.window)
                                     : outputChangeGate(settings.change);
}

/// When the calls of a run are; nothing for one without a time.
std::vector<std::optional<double>> timesOf(const CachedRun& run) {
    std::vector<std::optional<double>> times;
    for (const double sigma : run.sigmas) {
        times.push_back(logSigmaTime(sigma));
    }
    return times;
}

std::unique_ptr<StepPredictor> makeForecastPredictor(
    const StepForecastSettings& settings, const std::vector<std::optional<double>>& times) {
    if (settings.predictor == kReuse) {
        return reusePredictor();
    }
    if (settings.predictor != kSpectrum) {
        return taylorPredictor();
    }
    std::vector<double> known;
    for (const auto& time : times) {
        if (time) {
            known.push_back(*time);
        }
    }
    const auto [first, last] = std::minmax_element(known.begin(), known.end());
    const bool isSpread = !known.empty() && *first < *last;
    // Without two times there is nothing to foretell from, and any range will do.
    return spectrumPredictor({.begin = isSpread ? *first : 0, .end = isSpread ? *last : 1});
}

/// The latents of a network's input: an inpainting network has other channels behind them.
at::Tensor latentsOf(const at::Tensor& input, int64_t channels) {
    return input.narrow(1, 0, channels);
}

class ForecastSession final : public OuterSession {
public:
    ForecastSession(const StepForecastSettings& settings, const CachedRun& run)
        : settings_(settings),
          callCount_(run.callCount()),
          times_(timesOf(run)),
          decision_(makeForecastGate(settings), settings.limits) {
        forget();
    }

    [[nodiscard]] bool predicts(const StepInfo& step, const at::Tensor& input) override {
        asked_ = {.step = step.taken, .stepCount = callCount_};
        if (!timeOf(step) || !predictor_->isReady() ||
            !decision_.isOpen(asked_.step, asked_.stepCount)) {
            return false;
        }
        // Nothing can be measured in a dry run.
        if (decision_.measure() == GateMeasure::Output && !input.is_meta()) {
            asked_.change = change_.expected(latentsOf(input, channels_));
        }
        return decision_.wantsReuse(asked_);
    }

    [[nodiscard]] at::Tensor predict(const StepInfo& step, const at::Tensor& input) override {
        decision_.noteReused(asked_);
        const at::Tensor foretold = predictor_->predict(*timeOf(step));
        return isAdded() ? latentsOf(input, channels_) + foretold : foretold.clone();
    }

    void observe(const StepInfo& step, const at::Tensor& input, const at::Tensor& output) override {
        channels_ = output.size(1);
        const at::Tensor latents = latentsOf(input, channels_);
        decision_.noteComputed({.step = step.taken, .stepCount = callCount_});
        if (decision_.measure() == GateMeasure::Output) {
            change_.observe(latents, output);
        }
        if (const auto time = timeOf(step)) {
            predictor_->observe(*time, isAdded() ? output - latents : output);
        }
    }

    void forget() override {
        predictor_ = makeForecastPredictor(settings_, times_);
        change_.reset();
    }

    [[nodiscard]] std::vector<at::Tensor> held() const override {
        std::vector<at::Tensor> tensors = predictor_->held();
        for (const at::Tensor& tensor : change_.held()) {
            tensors.push_back(tensor);
        }
        return tensors;
    }

private:
    [[nodiscard]] std::optional<double> timeOf(const StepInfo& step) const {
        return times_.at(static_cast<size_t>(step.taken));
    }

    /// EasyCache reuses what the network adds to its input; the others follow its output.
    [[nodiscard]] bool isAdded() const { return settings_.predictor == kReuse; }

    const StepForecastSettings settings_;
    const int callCount_;
    const std::vector<std::optional<double>> times_;
    ReuseDecision decision_;
    std::unique_ptr<StepPredictor> predictor_;
    OutputChange change_;
    int64_t channels_ = 0;  ///< of the network's output
    GateStep asked_;        ///< what predicts() asked the gate
};

/// Forecasts whole results of the network, of any model: it never looks inside.
class StepForecast final : public StepCache {
public:
    explicit StepForecast(StepForecastSettings settings) : settings_(std::move(settings)) {
        (void)ReuseDecision(makeForecastGate(settings_), settings_.limits);  // refuses bad settings
    }

    [[nodiscard]] std::string label() const override {
        const std::string gate = settings_.gate == "window"
                                     ? "window " + formatNumber(settings_.window.window)
                                     : "change " + formatNumber(settings_.change.threshold);
        return "Step forecast, " + gate + ", " + settings_.predictor;
    }

    [[nodiscard]] CacheSessions begin(const CachedRun& run) const override {
        LOWTIDE_ASSERT(run.sigmas.size() == run.stages.size());
        const bool isOff = settings_.gate == "window"
                               ? settings_.window.window == 1 && settings_.window.growth == 0
                               : settings_.change.threshold == 0;
        CacheSessions sessions;
        if (!isOff && settings_.limits.leaveSteps(run.callCount())) {
            sessions.outer = std::make_unique<ForecastSession>(settings_, run);
        }
        return sessions;
    }

private:
    const StepForecastSettings settings_;
};

}  // namespace

StepCacheType step_forecast() {
    return {.name = "step_forecast", .make = [](const Json& settings) {
                return std::make_shared<const StepForecast>(readStepForecast(settings));
            }};
}

}  // namespace lowtide::sampling
