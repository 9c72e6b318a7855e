#pragma once
// What stands for a value that is not computed: the newest one, a line through two, or a spectrum
// of several.

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace lowtide::sampling {

/// Foretells a tensor that was not computed from those that were: the network's output, or what its
/// blocks add. One object for each pass, branch, tile and denoiser; all tensors have one shape. The
/// tensors that it keeps are never written to, and neither may be what it gives.
class StepPredictor {
public:
    virtual ~StepPredictor() = default;

    /// The value computed at `time`, any number that orders the steps of a pass; one at the time of
    /// the newest takes its place.
    virtual void observe(double time, const at::Tensor& value) = 0;

    /// Whether enough was observed to predict.
    [[nodiscard]] virtual bool isReady() const = 0;

    /// The value at `time`, when isReady().
    [[nodiscard]] virtual at::Tensor predict(double time) const = 0;

    /// Forgets what the next observation will push out, so that both are never held at once. Until
    /// then it may not be ready.
    virtual void makeSpace() = 0;

    /// The tensors that it keeps now.
    [[nodiscard]] virtual std::vector<at::Tensor> held() const = 0;
    /// How many they are at most, all of one shape: known before the run.
    [[nodiscard]] virtual int mostHeld() const = 0;
};

/// Gives the newest value again. Source: First Block Cache, MagCache, EasyCache, all of which reuse
/// what the blocks or the network added.
[[nodiscard]] std::unique_ptr<StepPredictor> reusePredictor();

/// Follows the straight line through the two newest values; with one value, gives it again. Source:
/// TaylorSeer, Liu et al. 2025, order 1; diffusers 0.42.1, where time is the index of the step.
[[nodiscard]] std::unique_ptr<StepPredictor> taylorPredictor();

struct SpectrumSettings {
    double begin = 0;     ///< time of the pass's first step
    double end = 0;       ///< of its last one
    int degree = 3;       ///< of the polynomials, 1 to 5
    double ridge = 1;     ///< above 0: how strongly they are held back
    double weight = 0.4;  ///< weight of the polynomials; the rest follows the newest two's line
};

/// Factors of the values at `times`, oldest first, that foretell the one at `time`: a ridge
/// regression in Chebyshev polynomials over the pass, blended with a straight line. The factors add
/// up to 1: what is fitted is the difference from the newest value (docs/decisions/0022).
[[nodiscard]] std::vector<double> spectrumFactors(const SpectrumSettings& settings,
                                                  const std::vector<double>& times,
                                                  double time);

/// Foretells from the last six values, and begins with two. Error{InvalidInput} blames "degree",
/// "ridge" or "weight". Source: Spectrum, Han et al. 2026, as stable-diffusion.cpp builds it, which
/// counts on 50 steps.
[[nodiscard]] std::unique_ptr<StepPredictor> spectrumPredictor(const SpectrumSettings& settings);

}  // namespace lowtide::sampling
