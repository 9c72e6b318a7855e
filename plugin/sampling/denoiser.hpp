#pragma once
// The network as the loop sees it, and what it is given with each of its calls.

#include <ATen/core/Tensor.h>

#include <compare>
#include <cstdint>

namespace lowtide::sampling {

class CacheScope;

/// What one call of the network does: all of it, what a step cache leaves to compute, or nothing
/// because the result is forecast.
enum class StepWork : uint8_t { Full, Partial, Predict };

/// What was decided for one call, before it.
struct StepDecision {
    StepWork work = StepWork::Full;
    StepWork next = StepWork::Full;  ///< of the evaluation after it, as far as known: a hint
    bool isOpen = false;             ///< Partial only if a gate inside the network agrees
    CacheScope* cache = nullptr;     ///< the run's; null: nothing is cached inside the network

    /// What each evaluation of the call begins as: Full while a gate may still refuse.
    [[nodiscard]] StepWork begins() const { return isOpen ? StepWork::Full : work; }
};

/// Which of several evaluations in one call a network does: each has values of its own in a cache
/// session.
struct CacheSlot {
    uint32_t branch = 0;    ///< prompts that are evaluated apart from others
    bool isUncond = false;  ///< with sequential guidance: the negative prompt is asked for

    auto operator<=>(const CacheSlot&) const = default;
};

/// Which part of the schedule a call belongs to; made by the loop, never counted by the network.
struct StepInfo {
    int step = 0;           ///< index into the schedule's timesteps
    int stepCount = 0;      ///< how many they are
    int solverStage = 0;    ///< inside one step of a sampler with several calls
    int taken = 0;          ///< calls of this run before it
    bool isGuided = false;  ///< both prompts are asked for: in this call, or in one for each
    CacheSlot slot{};
    StepDecision decision{};
};

/// The network as the sampler sees it. One object per node execution; it holds the conditioning.
class Denoiser {
public:
    virtual ~Denoiser() = default;
    /// Raw prediction of the network (epsilon, v or x0 as the checkpoint defines it).
    /// Shapes: latents [N, C, h, w] scaled as the sampler wants it, N = B, or 2B as [uncond, cond]
    /// with batched guidance; timestep 0-d, int64 or f32 on the CPU; result like latents. A network
    /// with cache points does what `step.decision` states (CachedCall).
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
