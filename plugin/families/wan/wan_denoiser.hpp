#pragma once

#include "plugin/families/wan/wan_transformer.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/denoiser.hpp"

namespace lowtide::models {

/// The transformer with its conditioning, for one execution of one node; of two denoisers the one
/// whose timestep it is. Each prompt is a call of its own, so that one video's activations are
/// held.
class WanDenoiser final : public sampling::Denoiser {
public:
    /// `second`: for the timesteps of the request's second denoiser; null: there is none.
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
    struct NoiseModel {
        const WanTransformer& network;
        Forward forward;
        std::vector<WanInputs> inputs{};  ///< of the positive, then of the negative conditioning
    };

    [[nodiscard]] NoiseModel noiseModel(StageContext& context,
                                        const WanTransformer& network,
                                        const std::vector<WanInputs>& inputs) const;

    DryRun* dryRun_;
    std::optional<sampling::LowNoiseModel> second_;
    std::vector<NoiseModel> noiseModels_;  ///< one or two
};

}  // namespace lowtide::models
