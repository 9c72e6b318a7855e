#pragma once

#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/denoisers/unet2d_condition.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/denoiser.hpp"

namespace lowtide::models {

/// The UNet with its conditioning, for one execution of one node.
class UNet2DDenoiser final : public sampling::Denoiser {
public:
    /// `added`: what the UNet adds to its time, [B or 2B, addedWidth] on its device, or undefined.
    /// Error{InvalidInput} when a conditioning does not fit the UNet. Records embeds, model_cond,
    /// timestep_cond.
    UNet2DDenoiser(StageContext& context,
                   const UNet2DCondition& unet,
                   const DenoiserRequest& request,
                   const at::Tensor& added = {});

    [[nodiscard]] at::Tensor predict(const at::Tensor& latents,
                                     const at::Tensor& timestep,
                                     const sampling::StepInfo& step) override;

private:
    /// Of one call; `seen` is filled where there are images.
    [[nodiscard]] const UNetConditioning& conditioningFor(const ResidualsCall& call,
                                                          UNetConditioning& seen) const;

    const UNet2DCondition& unet_;
    Forward forward_;
    DryRun* dryRun_;
    UNetConditioning conditioning_;  ///< as the network computes; of B or 2B images
    UNetConditioning exact_;         ///< as it came, where residuals are asked for
    ResidualsFor residuals_;
    ImagesFor images_;
    int64_t positives_;
};

}  // namespace lowtide::models
