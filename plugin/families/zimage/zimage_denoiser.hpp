#pragma once

#include "plugin/families/zimage/zimage_transformer.hpp"
#include "plugin/nn/blocks/pass.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/denoiser.hpp"

#include <vector>

namespace lowtide::models {

/// The transformer with its conditioning, for one execution of one node. Both prompts are calls of
/// their own, the positive one first, since their texts differ in length.
class ZImageDenoiser final : public sampling::Denoiser {
public:
    /// Error{InvalidInput} when a conditioning does not fit the transformer.
    ZImageDenoiser(StageContext& context,
                   const ZImageTransformer& transformer,
                   const DenoiserRequest& request);

    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor& timestep,
                       const sampling::StepInfo& step) override;

private:
    const ZImageTransformer& transformer_;
    Pass pass_;
    ShapeWalk* walk_;
    int64_t batch_;
    std::vector<at::Tensor> texts_;  ///< of the positive, then of the negative prompt
};

}  // namespace lowtide::models
