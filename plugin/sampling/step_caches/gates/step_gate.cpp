#include "plugin/sampling/step_caches/gates/step_gate.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/step_caches/gates/reuse_decision.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace lowtide::sampling {

int stepAtFraction(double fraction, int stepCount) {
    return static_cast<int>(fraction * stepCount + 0.5);
}

void StepRange::check(const char* item) const {
    if (begin >= 0 && begin < end && end <= 1) {
        return;
    }
    throw Error(ErrorKind::InvalidInput,
                message("a step cache cannot be active from fraction {} to {} of the steps",
                        formatNumber(begin),
                        formatNumber(end)),
                message("choose fractions from 0 to 1, the first below the second"),
                item);
}

bool StepRange::holds(int step, int stepCount) const {
    return step >= stepAtFraction(begin, stepCount) && step < stepAtFraction(end, stepCount);
}

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

namespace {

constexpr double kWidest = 1000;  ///< steps; keeps the window a whole number that fits

class WindowGate final : public StepGate {
public:
    explicit WindowGate(const WindowSettings& settings)
        : settings_(settings), window_(settings.window) {
        checkSetting("window", settings.window, 1, kWidest);
        checkSetting("window_growth", settings.growth, 0, kWidest);
        checkSetting("warm_up", settings.warmUp, 0, kWidest);
        checkSetting("end", settings.stopFraction, 0, 1);
    }

    [[nodiscard]] bool wantsReuse(const GateStep& step) const override {
        if (step.step < settings_.warmUp ||
            step.step >= stepAtFraction(settings_.stopFraction, step.stepCount)) {
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

namespace {

constexpr size_t kMostMaskSteps = 10'000;
constexpr std::string_view kBetween = " \t\r\n";  ///< steps of a file; so are commas
constexpr JsonLimits kFileLimits{.maxBytes = 1u << 20, .maxDepth = 8};

[[noreturn]] void refuseMask(const Message& problem, const Message& hint) {
    throw Error(ErrorKind::InvalidInput, message("the mask of steps {}", problem), hint, "mask");
}

[[noreturn]] void refuseMaskFile(const std::string& what, const Message& problem) {
    throw Error(ErrorKind::Corrupt,
                message("{}: {}", what, problem),
                message("write 1 for a computed step and 0 for a reused one, in a text or in a "
                        "JSON list \"schedule_mask\""),
                "mask_file");
}

std::string maskInText(std::string_view text, const std::string& what) {
    std::string mask;
    for (size_t i = 0; i < text.size(); ++i) {
        const char mark = text[i];
        if (mark == '0' || mark == '1') {
            mask += mark;
        } else if (mark != ',' && kBetween.find(mark) == std::string_view::npos) {
            refuseMaskFile(
                what, message("there is {} at position {}", quotedName(text.substr(i, 1)), i + 1));
        }
    }
    return mask;
}

/// The list of a JSON file's steps.
const Json& stepsIn(const Json& json, const std::string& what) {
    const Json* steps = &json;
    for (const char* key : {"mask", "schedule_mask"}) {
        steps = json.is_object() && json.contains(key) ? &json.at(key) : steps;
    }
    if (!steps->is_array()) {
        refuseMaskFile(what, message("it has no list \"schedule_mask\" or \"mask\""));
    }
    return *steps;
}

std::string maskInJson(const Json& json, const std::string& what) {
    std::string mask;
    for (const Json& step : stepsIn(json, what)) {
        if (step != 0 && step != 1 && !step.is_boolean()) {
            refuseMaskFile(what, message("the mask has {}", step.dump()));
        }
        mask += step == 1 || step == true ? '1' : '0';
    }
    return mask;
}

class MaskGate final : public StepGate {
public:
    explicit MaskGate(std::vector<bool> mask) : mask_(std::move(mask)) {}

    [[nodiscard]] bool wantsReuse(const GateStep& step) const override {
        const auto index = static_cast<size_t>(step.step);
        return index < mask_.size() && !mask_[index];
    }

private:
    std::vector<bool> mask_;
};

}  // namespace

std::vector<bool> parseStepMask(std::string_view text) {
    std::vector<bool> mask;
    for (size_t i = 0; i < text.size(); ++i) {
        const char mark = text[i];
        if (mark == ' ' || mark == ',') {
            continue;
        }
        if (mark != '0' && mark != '1') {
            refuseMask(message("has {} at position {}", quotedName(text.substr(i, 1)), i + 1),
                       message("write 1 for a computed step and 0 for a reused one: 1110101"));
        }
        if (mask.size() == kMostMaskSteps) {
            refuseMask(message("has more than {} steps", kMostMaskSteps), message("shorten it"));
        }
        mask.push_back(mark == '1');
    }
    if (mask.empty()) {
        refuseMask(message("is empty"),
                   message("write 1 for a computed step and 0 for a reused one: 1110101"));
    }
    if (!mask.front()) {
        refuseMask(message("reuses the first step, where nothing is cached yet"),
                   message("begin it with 1"));
    }
    return mask;
}

std::string stepMaskTextIn(std::string_view text, const std::string& what) {
    const size_t first = text.find_first_not_of(kBetween);
    const bool isJson =
        first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
    return isJson ? maskInJson(parseJson(text, what, kFileLimits), what) : maskInText(text, what);
}

void checkStepMask(const std::vector<bool>& mask, int stepCount) {
    if (mask.size() == static_cast<size_t>(stepCount)) {
        return;
    }
    refuseMask(
        message("has {} entries, the sampler calls the network {} times", mask.size(), stepCount),
        message("give the mask one 0 or 1 for every call"));
}

std::unique_ptr<StepGate> maskGate(std::vector<bool> mask) {
    return std::make_unique<MaskGate>(std::move(mask));
}

}  // namespace lowtide::sampling
