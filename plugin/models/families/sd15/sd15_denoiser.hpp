#pragma once

#include "plugin/models/blocks/pass.hpp"
#include "plugin/models/denoisers/unet2d_condition.hpp"
#include "plugin/models/model.hpp"
#include "plugin/models/stage_context.hpp"
#include "plugin/sampling/denoiser.hpp"

namespace lowtide::models {

/// The UNet with its conditioning, for one execution of one node.
class Sd15Denoiser final : public sampling::Denoiser {
public:
    /// Error{InvalidInput} when a conditioning does not fit the UNet. Records embeds, model_cond,
    /// timestep_cond.
    Sd15Denoiser(StageContext& context,
                 const UNet2DCondition& unet,
                 const DenoiserRequest& request);

    [[nodiscard]] at::Tensor predict(const at::Tensor& latents,
                                     const at::Tensor& timestep,
                                     const sampling::StepInfo& step) override;

private:
    const UNet2DCondition& unet_;
    Pass pass_;
    at::Tensor conditioning_;  ///< [B or 2B, T, width] on the device
    at::Tensor guidance_;      ///< [B, guidanceWidth] or undefined
    ResidualsFor residuals_;
};

}  // namespace lowtide::models
