#pragma once

#include "plugin/base/json.hpp"
#include "plugin/sampling/log_snr_solver.hpp"

namespace lowtide::sampling {

/// How the DPM-Solver++ classes integrate: along the ODE or with fresh noise on every step (SDE),
/// and how they weigh a slope: by half the step's own weight (midpoint) or exactly (heun).
struct DpmMethod {
    bool isStochastic = false;
    bool isHeun = false;
};

/// The clean latents along a step as a polynomial in lambda: value where it begins and, when they
/// are defined, the first two derivatives times the step's length and its square.
struct DpmPolynomial {
    at::Tensor value;
    at::Tensor slope;
    at::Tensor curvature;
    bool isSlopeExact = false;  ///< the slope is weighed exactly, whatever the method
};

/// Reads algorithm_type and solver_type; Error{Unsupported} for those that are not built.
[[nodiscard]] DpmMethod readDpmMethod(const JsonReader& reader);

/// The latents at `to` from those at `from`; `noise` is read by stochastic methods only.
/// Source: Lu et al. 2022 (arXiv 2211.01095), eq. 8 and 18; values: DPMSolverMultistepScheduler.
[[nodiscard]] at::Tensor dpmUpdate(const DpmMethod& method,
                                   const at::Tensor& latents,
                                   const Level& from,
                                   const Level& to,
                                   const DpmPolynomial& clean,
                                   const at::Tensor& noise);

}  // namespace lowtide::sampling
