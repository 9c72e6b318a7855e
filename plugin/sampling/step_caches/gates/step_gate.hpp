#pragma once
// Gates decide which steps may be taken from a cache: by the first block, how the output changes,
// windows or a mask.

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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
/// denoiser. Where a number is not finite, the step is computed.
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

/// The step at a fraction of a pass, rounded half up: 3 for 0.2 of 14. Source: MagCache's first
/// fraction.
[[nodiscard]] int stepAtFraction(double fraction, int stepCount);

/// Steps of a pass by fractions of it: from `begin` until before `end`.
struct StepRange {
    double begin = 0;
    double end = 1;

    /// Error{InvalidInput} that blames `item` unless 0 <= begin < end <= 1.
    void check(const char* item) const;
    [[nodiscard]] bool holds(int step, int stepCount) const;
};

/// Reuses while what the first block adds has changed by at most `threshold` since the last
/// computed step; 0 never reuses. Error{InvalidInput} blames "threshold" when it is no number
/// from 0 on. Source: First Block Cache of ParaAttention; diffusers 0.42.1 reuses on NaN.
[[nodiscard]] std::unique_ptr<StepGate> firstBlockGate(double threshold);

struct OutputChangeSettings {
    double threshold = 0.2;                           ///< 0: never reuse
    StepRange active = {.begin = 0.15, .end = 0.95};  ///< steps outside are computed
};

/// Reuses while the changes that are expected of the network's output add up to less than the
/// threshold. A change that is not finite or not above 0 means nothing: the step is computed.
/// Error{InvalidInput} blames "threshold" or "end". Source: EasyCache, Zhou et al. 2025, as
/// ComfyUI 0.3 builds it, with fractions of steps instead of training timesteps.
[[nodiscard]] std::unique_ptr<StepGate> outputChangeGate(const OutputChangeSettings& settings);

struct WindowSettings {
    double window = 2;          ///< steps from one computed one to the next
    double growth = 0.5;        ///< of the window, for each step computed after the warm-up
    int warmUp = 4;             ///< first steps, all computed
    double stopFraction = 0.9;  ///< of the steps, after which all are computed
};

/// Computes one step of every window; the windows grow along the pass. It knows nothing of
/// values. Error{InvalidInput} blames "window" (below 1: 1 computes all), "window_growth",
/// "warm_up" or "end". Source: Spectrum, Han et al. 2026, as stable-diffusion.cpp builds it.
[[nodiscard]] std::unique_ptr<StepGate> windowGate(const WindowSettings& settings);

/// Reads a mask of steps: "1" is computed, "0" is reused, blanks and commas are passed over. True
/// stands for computed. Error{InvalidInput} blames "mask" for other characters, for a mask without
/// steps or too many of them, and for one that reuses the first step, where nothing is cached yet.
[[nodiscard]] std::vector<bool> parseStepMask(std::string_view text);
/// What parseStepMask() reads, of a file: a text of 0 and 1 in lines or not, or JSON, a list of
/// them or an object with one in "schedule_mask" (BudCache's searches) or "mask". `what` names it
/// in messages. Error{Corrupt} blames "mask_file".
[[nodiscard]] std::string stepMaskTextIn(std::string_view text, const std::string& what);
/// Error{InvalidInput} that blames "mask" unless it has `stepCount` steps.
void checkStepMask(const std::vector<bool>& mask, int stepCount);

/// Reuses the steps that the mask marks. It must have passed checkStepMask(): a step beyond it is
/// computed.
[[nodiscard]] std::unique_ptr<StepGate> maskGate(std::vector<bool> mask);

}  // namespace lowtide::sampling
