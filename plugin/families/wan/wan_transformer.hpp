#pragma once

#include "plugin/families/wan/wan_blocks.hpp"
#include "plugin/sampling/denoiser.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// What a call reads in addition to latents and time, in the type of the network.
struct WanInputs {
    at::Tensor text;    ///< [N, T, textWidth]
    at::Tensor images;  ///< [N, S, imageWidth] of an image encoder, or undefined
};

/// The transformer of WAN 2.1, text and image to video. Source: Wan et al. 2025; diffusers 0.42.1
/// WanTransformer3DModel. The tree is made from headers; weights are read through the forward.
class WanTransformer {
public:
    /// `role`: of the component.
    WanTransformer(const WanConfig& config, const WeightMap& weights, std::string_view role);

    [[nodiscard]] const WanConfig& config() const { return config_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// Raw prediction; where the step is decided as partial, what the blocks behind the first one
    /// make comes from its cache. Shapes: latents [N, in, F, h, w] on the forward's device, their
    /// sides multiples of the patch; timestep 0-d, int64 or f32 on the CPU; result [N, out, F, h,
    /// w] f32.
    [[nodiscard]] at::Tensor predict(Forward& forward,
                                     const at::Tensor& latents,
                                     const at::Tensor& timestep,
                                     const WanInputs& inputs,
                                     const sampling::StepInfo& step = {}) const;

private:
    struct Layers {
        memory::LeafId patches;
        WanConditions conditions;
        std::vector<WanBlock> blocks;
        Linear output;
        memory::LeafId table;

        Layers(NetworkBuilder& builder, const WanConfig& config);
    };

    /// [N, C, F, h, w] -> [N, tokens, width].
    [[nodiscard]] at::Tensor tokensOf(Forward& forward, const at::Tensor& latents) const;
    /// [N, tokens, numbers of a patch] -> [N, out, F, h, w], shaped as `latents`.
    [[nodiscard]] at::Tensor latentsOf(const at::Tensor& tokens, const at::Tensor& latents) const;
    [[nodiscard]] Rotation rotationFor(const at::Tensor& latents, c10::Device device) const;

    WanConfig config_;
    std::shared_ptr<const memory::ComponentTree> tree_;
    std::unique_ptr<const Layers> layers_;
};

}  // namespace lowtide::models
