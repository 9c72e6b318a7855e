#pragma once

#include "plugin/base/stop_token.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/tensor/recorder.hpp"

#include <functional>
#include <memory>
#include <string>

namespace lowtide::sampling {

struct DenoiseSettings {
    double guidanceScale = 7.5;  ///< cfg; guidance is on above 1
    double guidanceRescale = 0;  ///< Lin et al. 2023, eq. 15-16; 0: off
    uint64_t seed = 0;
    int startStep = 0;
    int endStep = -1;
    bool addNoise = true;
    /// The latents hold no picture: at startStep 0 they become noise alone, scaled by
    /// initNoiseSigma. Off: the noise of startStep is added to them.
    bool startsEmpty = true;
    bool keepNoise = false;
    std::string scheduleKey;  ///< text that SamplerCarry::schedule must equal to be continued
};

struct DenoiseResult {
    at::Tensor latents;
    std::shared_ptr<const tensor::SamplerCarry> carry;  ///< with keepNoise only
};

/// Runs the sampler over the network: initial noise, guidance [uncond, cond], steps, carry.
/// `latents` [B, C, h, w] on the device: zeros for text to image. Records random, latents.init,
/// timesteps, sigmas, init_noise_sigma, model_in, model_t, model_out, noise_pred, latents.step,
/// latents.final. `progress(done, total)` after each step. Throws Error{Cancelled} between steps.
[[nodiscard]] DenoiseResult denoise(Sampler& sampler,
                                    Denoiser& denoiser,
                                    const at::Tensor& latents,
                                    const DenoiseSettings& settings,
                                    const std::shared_ptr<const tensor::SamplerCarry>& carry,
                                    const StopToken& stop,
                                    const tensor::Record& record,
                                    const std::function<void(int, int)>& progress);

}  // namespace lowtide::sampling
