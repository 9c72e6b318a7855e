#pragma once

#include "plugin/nn/denoisers/denoiser_parts.hpp"
#include "plugin/nn/denoisers/unet2d_blocks.hpp"
#include "plugin/nn/denoisers/unet2d_inputs.hpp"
#include "plugin/sampling/denoiser.hpp"

#include <memory>
#include <optional>
#include <string_view>

namespace lowtide::models {

/// The denoiser of Stable Diffusion 1.x, 2.x and XL. Source: Rombach et al. 2022; diffusers 0.42.1
/// UNet2DConditionModel. The tree is made from headers; weights are read through the forward.
class UNet2DCondition {
public:
    /// `role`: of the component.
    UNet2DCondition(const UNet2DConfig& config, const WeightMap& weights, std::string_view role);

    [[nodiscard]] const UNet2DConfig& config() const { return config_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// Raw prediction. Shapes: latents [N, in, h, w] on the forward's device; timestep 0-d, int64
    /// or f32 on the CPU, used unrounded; result [N, out, h, w] f32. A partial step of a cache
    /// computes what its depth states (cutAt). Errors: those of checkResiduals().
    [[nodiscard]] at::Tensor predict(Forward& forward,
                                     const at::Tensor& latents,
                                     const at::Tensor& timestep,
                                     const UNetConditioning& conditioning,
                                     const UNetResiduals& residuals = {},
                                     const sampling::StepInfo& step = {}) const;

private:
    /// One call of predict().
    class Evaluation;

    struct Layers {
        Conv2d input;
        TimeEmbedding time;
        std::vector<UNetDown> down;
        std::optional<UNetMid> mid;
        std::vector<UNetUp> up;  ///< from the smallest image to the largest
        GroupNorm outputNorm;
        Conv2d output;

        Layers(NetworkBuilder& builder, const UNet2DConfig& config);
    };

    UNet2DConfig config_;
    std::shared_ptr<const memory::ComponentTree> tree_;
    std::unique_ptr<const Layers> layers_;
};

}  // namespace lowtide::models
