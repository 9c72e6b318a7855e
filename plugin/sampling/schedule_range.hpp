#pragma once
// What a pass may be given: its part of the schedule, the part of the latents that is regenerated.

#include <ATen/core/Tensor.h>

namespace lowtide::sampling {

class Sampler;

/// The part of a schedule that a pass takes: by steps as a user counts them, or by fractions, which
/// win where they are set.
struct ScheduleRange {
    int startStep = 0;
    int endStep = -1;        ///< -1: the end
    bool keepNoise = false;  ///< of endStep: without it the last step goes to noise 0
    double startAt = 0;      ///< fraction of the schedule that another pass has taken
    double endAt = 1;        ///< fraction after which another pass continues; its noise is kept
};

/// Whether a later pass may continue with the sampler's state, not with the latents alone.
[[nodiscard]] constexpr bool givesCarry(const ScheduleRange& part) {
    return part.keepNoise && part.endAt == 1;
}

/// Network calls [first, last) of a schedule.
struct CallRange {
    int first = 0;
    int last = 0;
};

/// The calls of a pass. A fraction s cuts at timestep T - s T of T training timesteps, rounded: a
/// pass that ends there takes the calls at it and above, one that begins there those below, from
/// the first call of their step. Without training timesteps (EDM) it is a fraction of the steps.
/// Errors: Error{InvalidInput} blames "start_step", "start_at" or "end_at" when no call is left.
/// Source: denoising_start and denoising_end of diffusers 0.42.1's Stable Diffusion XL pipelines.
[[nodiscard]] CallRange callsOf(const Sampler& sampler, const ScheduleRange& part);

/// Mean and standard deviation of what an autoencoder encoded; a pass draws from it. Without a
/// deviation the mean is what is taken.
struct LatentDistribution {
    at::Tensor mean;
    at::Tensor deviation;
};

/// Which part of the latents a pass regenerates, on the device; by default all of them.
struct Inpainting {
    at::Tensor mask;            ///< [1 or B, 1, h, w], 1 where they are regenerated; undefined: all
    LatentDistribution masked;  ///< [1 or B, C, h, w] of the image without that part, for a
                                ///< network that takes it; undefined: for one that does not

    /// The network knows nothing of the mask: what lies outside of it is put back after every call.
    [[nodiscard]] bool isBlended() const { return mask.defined() && !masked.mean.defined(); }
};

/// Latents after a call: `made` where the mask is set, `kept` elsewhere. Source: diffusers 0.42.1
/// StableDiffusionInpaintPipeline, num_channels_unet == 4.
[[nodiscard]] at::Tensor blended(const at::Tensor& mask,
                                 const at::Tensor& made,
                                 const at::Tensor& kept);

/// Mask and masked image as the channels behind the latents, [batch, 1 + C, h, w]: `masked` is
/// what was drawn. Source: as blended(), num_channels_unet == 9.
[[nodiscard]] at::Tensor inpaintingChannels(const at::Tensor& mask,
                                            const at::Tensor& masked,
                                            int64_t batch);

}  // namespace lowtide::sampling
