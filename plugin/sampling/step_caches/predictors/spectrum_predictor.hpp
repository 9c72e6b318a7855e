#pragma once

#include "plugin/sampling/step_caches/predictors/step_predictor.hpp"

#include <vector>

namespace lowtide::sampling {

struct SpectrumSettings {
    double begin = 0;     ///< time of the pass's first step
    double end = 0;       ///< of its last one
    int degree = 3;       ///< of the polynomials, 1 to 5
    double ridge = 1;     ///< above 0: how strongly they are held back
    double weight = 0.4;  ///< share of the polynomials; the rest follows the newest two's line
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
