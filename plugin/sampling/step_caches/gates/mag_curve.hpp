#pragma once
// MagCache's curve, how what the blocks add changes in size from step to step, and the gate that
// goes by it.

#include "plugin/base/json.hpp"
#include "plugin/sampling/step_caches/gates/step_gate.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::sampling {

/// How far a curve held for images that did not make it.
struct MagCheck {
    int runs = 0;               ///< passes that were held out
    double meanDeviation = 0;   ///< of |ratio / curve - 1| over all their steps
    double worstDeviation = 0;  ///< the largest of them
    int worstStep = 0;          ///< where that is
};

/// How what the blocks add changes in size from step to step: it belongs to a checkpoint and a
/// scheduler, and hardly depends on the image. Source: MagCache, Ma et al. 2025.
struct MagCurve {
    std::string checkpoint;      ///< SHA-256 of the denoiser's weights
    std::string scheduler;       ///< as the caller names sampler and spacing
    std::vector<double> ratios;  ///< size at a step relative to the step before; the first is 1
    MagCheck check;

    /// For another count of steps, by the nearest one. Source: nearest_interp of diffusers 0.42.1,
    /// with its float32 arithmetic.
    [[nodiscard]] std::vector<double> ratiosFor(int stepCount) const;
    /// Error{InvalidInput} that blames "curve" unless it was made for this checkpoint and
    /// scheduler.
    void checkFor(std::string_view checkpoint, std::string_view scheduler) const;
};

/// Whether a curve may hold this ratio: a number above 0, and not above 1000.
[[nodiscard]] bool isMagRatio(double ratio);

[[nodiscard]] Json toJson(const MagCurve& curve);
/// Reads the text of a curve file. `what` names it in messages. Error{Corrupt} for what is no
/// curve: missing members, ratios that are not above 0, too many of them; Error{Unsupported} for a
/// format that is newer.
[[nodiscard]] MagCurve parseMagCurve(std::string_view text, const std::string& what);

struct MagSettings {
    double threshold = 0.06;    ///< of the accumulated error; 0: never reuse
    int mostSkips = 3;          ///< steps reused in a row
    double keptFraction = 0.2;  ///< first fraction of the steps, all computed
};

/// Reuses while the error that the curve predicts remains small: the sum of |1 - r|, r being the
/// product of the ratios since the last computed step. Needs no measurement. `ratios` has one entry
/// for each step; a step beyond counts as 1. Error{InvalidInput} blames "threshold",
/// "max_consecutive" or "kept_share". Source: MagCache, Ma et al. 2025; diffusers 0.42.1.
[[nodiscard]] std::unique_ptr<StepGate> magGate(const MagSettings& settings,
                                                std::vector<double> ratios);

}  // namespace lowtide::sampling
