#pragma once

#include <ATen/core/Tensor.h>

namespace lowtide::sampling {

/// Which part of the schedule a call belongs to; made by the loop, never counted by the network.
struct StepInfo {
    int step = 0;         ///< index into the schedule's timesteps
    int stepCount = 0;    ///< how many they are
    int solverStage = 0;  ///< inside one step of a sampler with several calls
};

/// The network as the sampler sees it. One object per node execution; it holds the conditioning.
class Denoiser {
public:
    virtual ~Denoiser() = default;
    /// Raw prediction of the network (epsilon, v or x0 as the checkpoint defines it).
    /// Shapes: latents [N, C, h, w] scaled as the sampler wants it, N = B, or 2B as [uncond, cond]
    /// with guidance; timestep 0-d, int64 or f32 on the CPU; result like latents.
    [[nodiscard]] virtual at::Tensor predict(const at::Tensor& latents,
                                             const at::Tensor& timestep,
                                             const StepInfo& step) = 0;
};

}  // namespace lowtide::sampling
