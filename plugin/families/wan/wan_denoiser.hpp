#pragma once

#include "plugin/families/wan/wan_transformer.hpp"
#include "plugin/nn/blocks/pass.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/denoiser.hpp"

namespace lowtide::models {

/// The transformer with its conditioning, for one execution of one node; of two experts the one
/// whose timestep it is. Each prompt is a call of its own, so that one video's activations are
/// held.
class WanDenoiser final : public sampling::Denoiser {
public:
    /// `second`: for the timesteps of the request's second expert; null: there is none.
    /// Error{InvalidInput} when a conditioning does not fit the transformer. Records model_cond
    /// and model_cond_image.
    WanDenoiser(StageContext& context,
                const WanTransformer& transformer,
                const WanTransformer* second,
                const DenoiserRequest& request);

    [[nodiscard]] at::Tensor predict(const at::Tensor& latents,
                                     const at::Tensor& timestep,
                                     const sampling::StepInfo& step) override;

private:
    /// A transformer with what it reads in every call, on its device and in its type.
    struct Expert {
        const WanTransformer& network;
        Pass pass;
        std::vector<WanInputs> inputs{};  ///< of the positive, then of the negative conditioning
    };

    [[nodiscard]] Expert expert(StageContext& context,
                                const WanTransformer& network,
                                const std::vector<WanInputs>& inputs) const;

    ShapeWalk* walk_;
    std::optional<sampling::SecondExpert> second_;
    std::vector<Expert> experts_;  ///< one or two
};

}  // namespace lowtide::models
