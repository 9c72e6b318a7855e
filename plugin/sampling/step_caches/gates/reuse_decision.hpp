#pragma once
// A gate within limits that hold for all of them, and the settings of step caches as their nodes
// give them.

#include "plugin/base/json.hpp"
#include "plugin/sampling/step_caches/gates/step_gate.hpp"

#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace lowtide::sampling {

/// What holds for every gate, in network calls of one pass.
struct ReuseLimits {
    int warmUp = 0;                 ///< first steps that are computed
    std::optional<int> mostInARow;  ///< reused steps without a computed one between; none: no bound
    int keepLast = 0;               ///< last steps that are computed

    /// Error{InvalidInput} that blames "warm_up", "max_consecutive" or "keep_last" for a number
    /// below 0, or below 1 in a row.
    void check() const;
    /// Whether they leave a step to the gate in a pass of `stepCount`; the first is never reused.
    [[nodiscard]] bool leaveSteps(int stepCount) const;
};

/// A gate within its limits. The caller asks, does, and notes what it did.
class ReuseDecision {
public:
    /// Throws what ReuseLimits::check() does.
    ReuseDecision(std::unique_ptr<StepGate> gate, const ReuseLimits& limits);

    [[nodiscard]] GateMeasure measure() const { return gate_->measure(); }

    /// Whether the limits leave the choice to the gate; if not, there is nothing to measure.
    [[nodiscard]] bool isOpen(int step, int stepCount) const;
    /// Whether to take the step from the cache; false where it is not open.
    [[nodiscard]] bool wantsReuse(const GateStep& step) const;

    /// What was done, in the order of the steps.
    void noteComputed(const GateStep& step);
    void noteReused(const GateStep& step);

private:
    std::unique_ptr<StepGate> gate_;
    ReuseLimits limits_;
    int inARow_ = 0;
};

/// Error{InvalidInput} that blames `item` unless `value`, a setting of a step cache, is a number
/// from `least` to `most`.
void checkSetting(const char* item,
                  double value,
                  double least,
                  double most = std::numeric_limits<double>::max());

/// Settings of a step cache by the ids of its node's parameters. Error{InvalidInput} blames the
/// setting that is missing or cannot be.
class SettingReader {
public:
    /// `what` names the source in messages. `settings` must outlive it.
    SettingReader(const Json& settings, std::string what) : reader_(settings, std::move(what)) {}

    [[nodiscard]] std::string text(const char* key) const;
    /// One of `choices`.
    [[nodiscard]] std::string choice(const char* key,
                                     std::initializer_list<const char*> choices) const;
    [[nodiscard]] double number(const char* key) const;
    [[nodiscard]] int count(const char* key) const;
    /// "warm_up", "max_consecutive" (0: no bound) and "keep_last".
    [[nodiscard]] ReuseLimits limits() const;

private:
    JsonReader reader_;
};

}  // namespace lowtide::sampling
