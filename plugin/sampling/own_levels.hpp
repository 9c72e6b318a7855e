#pragma once

#include "plugin/sampling/noise_process.hpp"
#include "plugin/sampling/sampler.hpp"

#include <c10/core/ScalarType.h>

#include <vector>

namespace lowtide::sampling {

/// Noise levels of a schedule; `sigmas`, [calls + 1], ends with the level after the last call.
struct NoiseLevels {
    std::vector<float> sigmas;
    Schedule schedule;
};

/// Whether the reference computes the levels between the ends in f32 (its multistep solvers) or in
/// f64 (Euler); the f64 ones end, where noise is left, with the last of themselves.
enum class RampType : uint8_t { F32, F64 };

/// Of EDM. Source: Karras et al. 2022, eq. 5; values: EDMEulerScheduler (F64) and
/// EDMDPMSolverMultistepScheduler (F32).
[[nodiscard]] NoiseLevels edmLevels(const SchedulerConfig& config, int steps, RampType type);

/// Where the classes place the levels of a flow, before they are shifted, when nobody tells them.
enum class FlowPlaces : uint8_t {
    Euler,     ///< along sigma, between the ends of the training: FlowMatchEulerDiscreteScheduler
    UniPc,     ///< from 1 down, whole times: UniPCMultistepScheduler with use_flow_sigmas
    DpmSolver  ///< from below 1, whole times: DPMSolverMultistepScheduler with use_flow_sigmas
};

/// A level of a flow, 0 to 1, shifted towards the noise.
[[nodiscard]] double shiftedSigma(double sigma, double shift);

/// `own`: of the sampler's class; config.flow->spacing wins.
[[nodiscard]] NoiseLevels flowLevels(const SchedulerConfig& config, int steps, FlowPlaces own);

/// For samplers that divide by the distance between the levels of two calls. Error{InvalidInput}
/// blames "steps" where it is 0.
void requireFalling(const Schedule& schedule);

}  // namespace lowtide::sampling
