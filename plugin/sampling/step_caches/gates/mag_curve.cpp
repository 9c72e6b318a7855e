#include "plugin/sampling/step_caches/gates/mag_curve.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/step_caches/gates/reuse_decision.hpp"
#include "plugin/sampling/step_caches/gates/step_gate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lowtide::sampling {

namespace {

constexpr int kFormat = 1;
constexpr const char* kKind = "mag_curve";
constexpr JsonLimits kLimits{.maxBytes = 1u << 20, .maxDepth = 4};
constexpr size_t kMostCurveSteps = 10'000;
constexpr double kLargestRatio = 1000;  ///< of two steps; sizes that follow each other are near 1
constexpr size_t kHashDigits = 64;
constexpr Phrase kMakeAgain = phrase("make the curve again with lowtide calibrate-cache");

[[noreturn]] void corrupt(const std::string& what, const Message& problem) {
    throw Error(ErrorKind::Corrupt, message("{}: {}", what, problem), kMakeAgain, "curve");
}

void checkFormat(const JsonReader& reader) {
    if (reader.text("kind").value_or("") != kKind) {
        corrupt(reader.what(), message("is no MagCache curve (\"kind\" is not \"mag_curve\")"));
    }
    const int64_t format = reader.integer("format").value_or(0);
    if (format < 1) {
        corrupt(reader.what(), message("\"format\" is missing"));
    }
    if (format > kFormat) {
        throw Error(ErrorKind::Unsupported,
                    message("{}: the curve has format {}, this version reads {}",
                            reader.what(),
                            format,
                            kFormat),
                    kMakeAgain,
                    "curve");
    }
}

std::string readHash(const JsonReader& reader) {
    const std::string hash = reader.text("checkpoint").value_or("");
    const bool isHex = std::all_of(hash.begin(), hash.end(), [](char digit) {
        return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
    });
    if (hash.size() != kHashDigits || !isHex) {
        corrupt(reader.what(), message("\"checkpoint\" is no SHA-256"));
    }
    return hash;
}

std::string readScheduler(const JsonReader& reader) {
    std::string name = reader.text("scheduler").value_or("");
    if (name.empty()) {
        corrupt(reader.what(), message("\"scheduler\" is missing"));
    }
    return name;
}

std::vector<double> readRatios(const JsonReader& reader) {
    std::vector<double> ratios = reader.numbers("ratios").value_or(std::vector<double>{});
    if (ratios.empty() || ratios.size() > kMostCurveSteps) {
        corrupt(
            reader.what(),
            message(
                "\"ratios\" has {} steps, it must have 1 to {}", ratios.size(), kMostCurveSteps));
    }
    for (size_t step = 0; step < ratios.size(); ++step) {
        if (!isMagRatio(ratios[step])) {
            corrupt(reader.what(),
                    message("the ratio of step {} is {}, it must lie above 0 and not above {}",
                            step,
                            formatNumber(ratios[step]),
                            formatNumber(kLargestRatio)));
        }
    }
    return ratios;
}

double readDeviation(const JsonReader& reader, const char* key) {
    const double deviation = reader.number(key).value_or(-1);
    if (!std::isfinite(deviation) || deviation < 0) {
        corrupt(reader.what(), message("\"{}\" is no deviation", key));
    }
    return deviation;
}

MagCheck readCheck(const JsonReader& curve, size_t steps) {
    const Json* member = curve.member("check");
    if (!member) {
        corrupt(curve.what(), message("\"check\" is missing"));
    }
    const JsonReader reader(*member, curve.what());
    const int64_t runs = reader.integer("runs").value_or(0);
    const int64_t worst = reader.integer("worst_step").value_or(-1);
    if (runs < 1 || runs > static_cast<int64_t>(kMostCurveSteps)) {
        corrupt(curve.what(), message("it was checked on no held-out seed"));
    }
    if (worst < 0 || worst >= static_cast<int64_t>(steps)) {
        corrupt(curve.what(), message("\"worst_step\" is no step of the curve"));
    }
    return {.runs = static_cast<int>(runs),
            .meanDeviation = readDeviation(reader, "mean_deviation"),
            .worstDeviation = readDeviation(reader, "worst_deviation"),
            .worstStep = static_cast<int>(worst)};
}

[[noreturn]] void refuseCurve(const Message& made, const std::string& used) {
    throw Error(ErrorKind::InvalidInput,
                message("the curve was made for {}, this is {}", made, used),
                message("choose its own curve, or make one with lowtide calibrate-cache"),
                "curve");
}

std::string shortHash(std::string_view hash) {
    return std::string(hash.substr(0, 10));  // as images' metadata show it
}

}  // namespace

std::vector<double> MagCurve::ratiosFor(int stepCount) const {
    LOWTIDE_ASSERT(!ratios.empty() && stepCount > 0);
    if (stepCount == 1) {
        return {ratios.back()};
    }
    const auto scale = static_cast<float>(static_cast<double>(ratios.size() - 1) / (stepCount - 1));
    std::vector<double> result;
    for (int step = 0; step < stepCount; ++step) {
        // To the even one where two are as near, as torch.round does.
        const float nearest = std::nearbyint(static_cast<float>(step) * scale);
        result.push_back(ratios[std::min(static_cast<size_t>(nearest), ratios.size() - 1)]);
    }
    return result;
}

void MagCurve::checkFor(std::string_view usedCheckpoint, std::string_view usedScheduler) const {
    if (checkpoint != usedCheckpoint) {
        refuseCurve(message("the checkpoint {}", shortHash(checkpoint)), shortHash(usedCheckpoint));
    }
    if (scheduler != usedScheduler) {
        refuseCurve(message("the scheduler {}", quotedName(scheduler)), quotedName(usedScheduler));
    }
}

bool isMagRatio(double ratio) {
    return ratio > 0 && ratio <= kLargestRatio;
}

Json toJson(const MagCurve& curve) {
    return {{"kind", kKind},
            {"format", kFormat},
            {"checkpoint", curve.checkpoint},
            {"scheduler", curve.scheduler},
            {"ratios", curve.ratios},
            {"check",
             {{"runs", curve.check.runs},
              {"mean_deviation", curve.check.meanDeviation},
              {"worst_deviation", curve.check.worstDeviation},
              {"worst_step", curve.check.worstStep}}}};
}

MagCurve parseMagCurve(std::string_view text, const std::string& what) {
    const Json json = parseJson(text, what, kLimits);
    const JsonReader reader(json, what);
    checkFormat(reader);
    MagCurve curve{.checkpoint = readHash(reader),
                   .scheduler = readScheduler(reader),
                   .ratios = readRatios(reader),
                   .check = {}};
    curve.check = readCheck(reader, curve.ratios.size());
    return curve;
}

namespace {

class MagGate final : public StepGate {
public:
    MagGate(const MagSettings& settings, std::vector<double> ratios)
        : settings_(settings), ratios_(std::move(ratios)) {
        checkSetting("threshold", settings.threshold, 0);
        checkSetting("max_consecutive", settings.mostSkips, 1);
        checkSetting("kept_share", settings.keptFraction, 0, 1);
    }

    [[nodiscard]] bool wantsReuse(const GateStep& step) const override {
        if (step.step < stepAtFraction(settings_.keptFraction, step.stepCount)) {
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
