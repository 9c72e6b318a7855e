#pragma once

#include "plugin/sampling/step_caches/gates/step_gate.hpp"

#include <memory>

namespace lowtide::sampling {

struct WindowSettings {
    double window = 2;       ///< steps from one computed one to the next
    double growth = 0.5;     ///< of the window, for each step computed after the warm-up
    int warmUp = 4;          ///< first steps, all computed
    double stopShare = 0.9;  ///< of the steps, after which all are computed
};

/// Computes one step of every window; the windows grow along the pass. It knows nothing of
/// values. Error{InvalidInput} blames "window" (below 1: 1 computes all), "window_growth",
/// "warm_up" or "end". Source: Spectrum, Han et al. 2026, as stable-diffusion.cpp builds it.
[[nodiscard]] std::unique_ptr<StepGate> windowGate(const WindowSettings& settings);

}  // namespace lowtide::sampling
