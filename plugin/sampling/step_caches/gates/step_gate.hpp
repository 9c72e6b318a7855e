#pragma once

#include <cstdint>
#include <limits>

namespace lowtide::sampling {

/// What a gate wants measured before it is asked.
enum class GateMeasure : uint8_t {
    Nothing,
    /// Mean size of the change of what the first block adds since the last computed step, relative
    /// to what it added then. The first block has run when the gate is asked.
    FirstBlock,
    /// How far the network's output has probably moved since the last computed step, relative to
    /// its size then. Nothing has run when the gate is asked.
    Output
};

/// One network call of a pass, counted by the sampler's loop from 0.
struct GateStep {
    int step = 0;
    int stepCount = 0;
    /// What the gate wants measured; not a number where it is not known.
    double change = std::numeric_limits<double>::quiet_NaN();
};

/// Decides which steps may be taken from a cache. One object for each pass, branch, tile and
/// expert. Where a number is not finite, the step is computed.
class StepGate {
public:
    virtual ~StepGate() = default;

    [[nodiscard]] virtual GateMeasure measure() const { return GateMeasure::Nothing; }

    /// Whether the gate would reuse this step. Changes nothing, so that it may be asked again.
    [[nodiscard]] virtual bool wantsReuse(const GateStep& step) const = 0;

    /// The step was computed, whatever the gate wanted. Steps are noted in their order.
    virtual void noteComputed(const GateStep& /*step*/) {}

    /// The step was reused, as the gate wanted.
    virtual void noteReused(const GateStep& /*step*/) {}
};

}  // namespace lowtide::sampling
