#pragma once

#include "plugin/sampling/step_info.hpp"

#include <ATen/core/Tensor.h>

namespace lowtide::sampling {

/// The network as the sampler sees it. One object per node execution; it holds the conditioning.
class Denoiser {
public:
    virtual ~Denoiser() = default;
    /// Raw prediction of the network (epsilon, v or x0 as the checkpoint defines it).
    /// Shapes: latents [N, C, h, w] scaled as the sampler wants it, N = B, or 2B as [uncond, cond]
    /// with guidance; timestep 0-d, int64 or f32 on the CPU; result like latents. A network with
    /// cache points does what `step.decision` says (CachedCall).
    [[nodiscard]] virtual at::Tensor predict(const at::Tensor& latents,
                                             const at::Tensor& timestep,
                                             const StepInfo& step) = 0;

    /// Another number wherever other prompts speak, or other hints are followed, than in the call
    /// before: what was cached then is of no use. Arguments as predict() takes them.
    [[nodiscard]] virtual uint64_t promptsAt(const at::Tensor& /*timestep*/,
                                             const StepInfo& /*step*/) const {
        return 0;
    }
};

}  // namespace lowtide::sampling
