#include "plugin/sampling/sigma_sampler.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

namespace {

const SchedulerClass kSigmaLcmClass = {.label = "LCM along sigma",
                                       .hasSigmaSpreads = true,
                                       .hasFinalSigma = true,
                                       .hasZeroSnr = true,
                                       .hasEdm = true,
                                       .hasFlow = true};

/// Consistency sampling at any noise levels: every call jumps to the clean latents, fresh noise
/// goes back to the next level, in the last step too (times 0 there, but drawn). Source: Luo et al.
/// 2023 (arXiv 2310.04378); k-diffusion's form, sample_lcm of ComfyUI; values for flows:
/// FlowMatchLCMScheduler.
class SigmaLcm final : public SigmaSampler {
public:
    using SigmaSampler::SigmaSampler;

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>& noise) override {
        const at::Tensor denoised = clean(prediction, latents, sigma(call));
        return process().noised(denoised, noise(prediction.sizes()), sigma(call + 1));
    }
};

std::unique_ptr<Sampler> makeSigmaLcm(const Json& config, const ScheduleOptions& options) {
    return std::make_unique<SigmaLcm>(readSchedulerConfig(config, kSigmaLcmClass, options),
                                      options);
}

}  // namespace

/// Also of flows that were distilled into a few steps: HiDream-I1 Dev and Fast.
SamplerType sigma_lcm() {
    return {.name = "sigma_lcm",
            .label = kSigmaLcmClass.label,
            .schedulerClass = "FlowMatchLCMScheduler",
            .drawsNoise = true,
            .readsZeroSnr = kSigmaLcmClass.hasZeroSnr,
            .make = makeSigmaLcm};
}

}  // namespace lowtide::sampling
