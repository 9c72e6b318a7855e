#pragma once

#include "plugin/models/blocks/pass.hpp"
#include "plugin/models/denoisers/wan_transformer.hpp"
#include "plugin/models/model.hpp"
#include "plugin/models/stage_context.hpp"
#include "plugin/sampling/denoiser.hpp"

namespace lowtide::models {

/// The transformer with its conditioning, for one execution of one node. With guidance both sides
/// are calls of their own, the positive one first, so that one video's activations are held.
class WanDenoiser final : public sampling::Denoiser {
public:
    /// Error{InvalidInput} when a conditioning does not fit the transformer. Records model_cond
    /// and model_cond_image.
    WanDenoiser(StageContext& context,
                const WanTransformer& transformer,
                const DenoiserRequest& request);

    [[nodiscard]] at::Tensor predict(const at::Tensor& latents,
                                     const at::Tensor& timestep,
                                     const sampling::StepInfo& step) override;

private:
    [[nodiscard]] at::Tensor predictSide(const at::Tensor& latents,
                                         const at::Tensor& timestep,
                                         const sampling::StepInfo& step,
                                         uint32_t side);

    const WanTransformer& transformer_;
    Pass pass_;
    ShapeWalk* walk_;
    std::vector<WanInputs> sides_;  ///< of the positive, then of the negative conditioning
};

}  // namespace lowtide::models
