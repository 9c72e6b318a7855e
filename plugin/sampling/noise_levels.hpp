#pragma once
// Which timesteps and noise levels a schedule visits: spacings, spreads (Karras, exponential, beta,
// Lu), and the levels of EDM and flows.

#include "plugin/sampling/noise_process.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/scheduler_config.hpp"

#include <c10/core/ScalarType.h>

#include <vector>

namespace lowtide::sampling {

/// Whether evenly spaced timesteps may lie between two training timesteps (749.25, Euler) or not
/// (DDIM).
enum class TimestepKind : uint8_t { Integer, Fractional };

/// `steps` falling timesteps, as DDIM, Euler and Euler a take them; fractional ones are rounded to
/// float32.
[[nodiscard]] std::vector<double> fallingTimesteps(const SchedulerConfig& config,
                                                   int steps,
                                                   TimestepKind kind);
/// The same for multistep solvers, which add one point more and leave out the one at timestep 0.
/// `usable` is the number of training timesteps that may be visited. Errors: Error{InvalidInput}
/// blames "steps" when they are more than there are timesteps for.
[[nodiscard]] std::vector<double> multistepTimesteps(const SchedulerConfig& config,
                                                     int steps,
                                                     int64_t usable);
/// 1-d tensors as Schedule holds them.
[[nodiscard]] at::Tensor integerTimesteps(const std::vector<double>& timesteps);
[[nodiscard]] at::Tensor floatValues(const std::vector<float>& values);
/// The numbers of a 1-d f32 tensor on the CPU.
[[nodiscard]] std::vector<float> floatsOf(const at::Tensor& values);

/// Noise levels, highest first, and the training timesteps that they stand for (not whole numbers).
struct SigmaTable {
    std::vector<double> sigmas;
    std::vector<double> timesteps;
};

/// `steps` noise levels between the two given ones (or the config's sigma_max and sigma_min),
/// spread as config.spread states, which is not Normal. Sources: Karras et al. 2022, eq. 5 with rho
/// 7; exponential: even in log sigma; beta: Lee et al. 2024 (arXiv 2407.12173), a = b = 0.6; lu: Lu
/// et al. 2022 (arXiv 2206.00927), between the training's own ends.
[[nodiscard]] SigmaTable spreadSigmas(const SchedulerConfig& config,
                                      double highest,
                                      double lowest,
                                      int steps,
                                      const std::vector<float>& trainingSigmas);

/// `steps` noise levels from `highest` to `lowest`, spread as `kind` states: neither Normal nor Lu.
[[nodiscard]] std::vector<double> spreadBetween(SigmaSpread kind,
                                                double highest,
                                                double lowest,
                                                int steps);

/// The training timestep, not an integer, that each noise level stands for; all in float32, as the
/// reference puts the levels between two steps.
[[nodiscard]] std::vector<float> timestepsBetween(const std::vector<float>& sigmas,
                                                  const std::vector<float>& trainingSigmas);

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

/// Where the classes put the levels of a flow by default, before they are shifted.
enum class FlowTimesteps : uint8_t {
    Euler,     ///< along sigma, between the ends of the training: FlowMatchEulerDiscreteScheduler
    UniPc,     ///< from 1 down, whole times: UniPCMultistepScheduler with use_flow_sigmas
    DpmSolver  ///< from below 1, whole times: DPMSolverMultistepScheduler with use_flow_sigmas
};

/// A level of a flow, 0 to 1, shifted towards the noise.
[[nodiscard]] double shiftedSigma(double sigma, double shift);

/// `own`: of the sampler's class; config.flow->spacing wins.
[[nodiscard]] NoiseLevels flowLevels(const SchedulerConfig& config, int steps, FlowTimesteps own);

/// For samplers that divide by the distance between the levels of two calls. Error{InvalidInput}
/// blames "steps" where it is 0.
void requireFalling(const Schedule& schedule);

}  // namespace lowtide::sampling
