#pragma once

#include "plugin/sampling/scheduler_config.hpp"

#include <vector>

namespace lowtide::sampling {

/// Whether evenly spaced timesteps may lie between two training timesteps (749.25, Euler) or not
/// (DDIM).
enum class TimestepKind : uint8_t { Whole, Fractional };

/// `steps` falling timesteps, as DDIM, Euler and Euler a take them; fractional ones are rounded to
/// float32.
[[nodiscard]] std::vector<double> fallingTimesteps(const SchedulerConfig& config,
                                                   int steps,
                                                   TimestepKind kind);
/// The same for multistep solvers, which place one point more and leave out the one at timestep 0.
/// `usable` is the number of training timesteps that may be visited. Errors: Error{InvalidInput}
/// blames "steps" when they are more than the timesteps give room for.
[[nodiscard]] std::vector<double> multistepTimesteps(const SchedulerConfig& config,
                                                     int steps,
                                                     int64_t usable);
/// 1-d tensors as Schedule holds them.
[[nodiscard]] at::Tensor wholeTimesteps(const std::vector<double>& timesteps);
[[nodiscard]] at::Tensor floatValues(const std::vector<float>& values);
/// The numbers of a 1-d f32 tensor on the CPU.
[[nodiscard]] std::vector<float> floatsOf(const at::Tensor& values);

}  // namespace lowtide::sampling
