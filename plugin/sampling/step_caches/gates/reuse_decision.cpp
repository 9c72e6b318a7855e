#include "plugin/sampling/step_caches/gates/reuse_decision.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

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

void checkSetting(const char* item, double value, double least, double most) {
    if (value >= least && value <= most) {
        return;
    }
    const bool isBounded = most < std::numeric_limits<double>::max();
    throw Error(ErrorKind::InvalidInput,
                message("{} of a step cache is {}", item, formatNumber(value)),
                isBounded ? message("choose from {} to {}", formatNumber(least), formatNumber(most))
                          : message("choose {} or more", formatNumber(least)),
                item);
}

namespace {

constexpr double kMostSteps = 10'000;

[[noreturn]] void refuseMissing(const std::string& what, const char* key) {
    throw Error(ErrorKind::InvalidInput,
                message("{}: {} is missing", what, key),
                message("set it on the step cache's node"),
                key);
}

}  // namespace

std::string SettingReader::text(const char* key) const {
    auto value = reader_.text(key);
    if (!value) {
        refuseMissing(reader_.what(), key);
    }
    return *std::move(value);
}

std::string SettingReader::choice(const char* key,
                                  std::initializer_list<const char*> choices) const {
    const std::vector<std::string> known(choices.begin(), choices.end());
    std::string value = text(key);
    if (std::find(known.begin(), known.end(), value) == known.end()) {
        throw Error(ErrorKind::InvalidInput,
                    message("{} of a step cache is {}", key, quotedName(value)),
                    message("choose {}", join(known, ", ")),
                    key);
    }
    return value;
}

double SettingReader::number(const char* key) const {
    const auto value = reader_.number(key);
    if (!value) {
        refuseMissing(reader_.what(), key);
    }
    return *value;
}

int SettingReader::count(const char* key) const {
    const auto value = reader_.integer(key);
    if (!value) {
        refuseMissing(reader_.what(), key);
    }
    checkSetting(key, static_cast<double>(*value), 0, kMostSteps);
    return static_cast<int>(*value);
}

ReuseLimits SettingReader::limits() const {
    const int mostInARow = count("max_consecutive");
    ReuseLimits limits{.warmUp = count("warm_up"), .keepLast = count("keep_last")};
    if (mostInARow > 0) {
        limits.mostInARow = mostInARow;
    }
    return limits;
}

}  // namespace lowtide::sampling
