#pragma once

namespace lowtide::sampling {

class Sampler;

/// The part of a schedule that a pass takes: by steps as a person counts them, or by shares, which
/// win where they are set.
struct PassPart {
    int startStep = 0;
    int endStep = -1;        ///< -1: the end
    bool keepNoise = false;  ///< of endStep: without it the last step goes to noise 0
    double startAt = 0;      ///< share of the schedule that another pass has taken
    double endAt = 1;        ///< share after which another pass goes on; its noise stays
};

/// Whether a later pass may go on with the sampler's state, not with the latents alone.
[[nodiscard]] constexpr bool givesCarry(const PassPart& part) {
    return part.keepNoise && part.endAt == 1;
}

/// Network calls [first, last) of a schedule.
struct CallRange {
    int first = 0;
    int last = 0;
};

/// The calls of a pass. A share s cuts at timestep T - s T of T training timesteps, rounded: a pass
/// that ends there takes the calls at it and above, one that begins there those below, from the
/// first call of their step. Without training timesteps (EDM) it is a share of the steps.
/// Errors: Error{InvalidInput} blames "start_step", "start_at" or "end_at" when no call is left.
/// Source: denoising_start and denoising_end of diffusers 0.42.1's Stable Diffusion XL pipelines.
[[nodiscard]] CallRange callsOf(const Sampler& sampler, const PassPart& part);

}  // namespace lowtide::sampling
